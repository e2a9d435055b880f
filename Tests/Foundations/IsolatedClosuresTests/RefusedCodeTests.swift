import TestSupport
import XCTest

/// Code that would race, which the compiler refuses.
final class RefusedCodeTests: XCTestCase {
  private func expectRefusal(
    _ expected: String, _ code: String, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let begin = """
      import BlockRuntime
      final class Counter { var count = 0 }
      final class Page: Sendable {}
      let block = try Block({ $0 + 1 } as @convention(block) (Int32) -> Int32)
      let key = AssociationKey<Counter>("counter")

      """
    let refusal = try ClientCode(self).refusal(of: begin + code) ?? "none"
    XCTAssertTrue(refusal.contains(expected), refusal, file: file, line: line)
  }

  func testCodeOfAnActorIsAccepted() throws {
    try expectRefusal(
      "none",
      """
      actor Owner {
        func start() throws {
          let counter = Counter()
          try isolated(block).hook(.before) { _ in counter.count += 1 }
        }
      }
      nonisolated func start() async throws {
        let counter = Counter()
        try withIsolationScope { scope in
          try scope.isolated(block).hook(.before) { _ in counter.count += 1 }
        }
        await Task.detached { counter.count += 1 }.value
      }
      """)
  }

  func testClosuresThatUseTheSelfOfAProtocolCompileWithoutAWarning() throws {
    XCTAssertNil(
      try ClientCode(self).refusal(
        of: """
          import BlockRuntime
          protocol Ticking: AnyObject { var count: Int { get set }; static func step() -> Int }
          extension Ticking {
            @MainActor func start(_ block: Block) throws {
              try isolated(DelayTimer.shared).repeat(every: .seconds(1)) { [weak self] _ in
                self?.count += Self.step()
              }
              try isolated(block).hook(.before) { _ in print(Self.self) }
            }
            func start(_ block: Block, on actor: isolated any Actor) throws {
              try isolated(block).hook(.before) { _ in self.count += Self.step() }
            }
            func count(_ block: Block) throws {
              try withIsolationScope { scope in
                try scope.isolated(block).hook(.before) { _ in self.count += Self.step() }
                let _: Int32 = try block.call(1)
              }
            }
          }
          @MainActor protocol View: KeyValueObservable {
            var count: Int { get set }
            static func step() -> Int
          }
          extension View {
            func start() { isolated(self).observe(\\.count) { me, _ in print(me.count, Self.step()) } }
          }
          protocol Worker: Actor { var count: Int { get set }; static func step() -> Int }
          extension Worker {
            func start(_ block: Block) throws {
              try isolated(block).hook(.before) { _ in self.count += Self.step() }
            }
          }
          """, allowingWarnings: false))
  }

  func testAScopeWhoseOnlyStatementReturnsATokenCompilesWithoutAWarning() throws {
    XCTAssertNil(
      try ClientCode(self).refusal(
        of: """
          import BlockRuntime
          func count(_ block: Block) throws {
            try withIsolationScope { scope in
              try scope.isolated(block).hook(.before) { _ in }
            }
          }
          """, allowingWarnings: false))
  }

  func testIsolatedNeedsAnActor() throws {
    try expectRefusal(
      "'nil' is not compatible with expected argument type 'any Actor'",
      """
      nonisolated func value() async throws {
        let (page, counter) = (Page(), Counter())
        try isolated(key).set(counter, on: page)
      }
      """)
  }

  func testWhatAClosureOfAnActorUsesStaysThere() throws {
    try expectRefusal(
      "risks causing data races between 'self'-isolated code",
      """
      actor Owner {
        func start() throws {
          let counter = Counter()
          try isolated(block).hook(.before) { _ in counter.count += 1 }
          Task.detached { counter.count += 1 }
        }
      }
      """)
  }

  func testWhatAClosureOfAScopeUsesStaysInIt() throws {
    try expectRefusal(
      "risks causing data races between code in the current task",
      """
      nonisolated func hook() throws {
        let clock = ManualClock()
        let counter = Counter()
        withIsolationScope { scope in
          let timer = scope.isolated(DelayTimer(clock: clock))
          timer.perform(after: .seconds(1)) { counter.count += 1 }
          Task.detached { counter.count += 1 }
          clock.advance(by: .seconds(1))
        }
      }
      """)
    try expectRefusal(
      "risks causing data races between code in the current task",
      """
      nonisolated func value() throws {
        let page = Page()
        try withIsolationScope { scope in
          let counter = Counter()
          try scope.isolated(key).set(counter, on: page)
          Task.detached { counter.count += 1 }
          scope.isolated(key).value(of: page)?.count += 1
        }
      }
      """)
  }

  /// Who sends the message may be code of no actor, for which its arguments and its result are its own.
  func testAMessageBringsAnActorOnlyWhatIsSendable() throws {
    for (closure, sender) in [
      ("{ (counter: Counter) in self.counter = counter }", #"delegate.send("pass:", counter)"#),
      ("{ () in self.counter }", #"_ = delegate.send("pass", returning: Counter.self)"#),
    ] {
      try expectRefusal(
        "type 'Counter' does not conform to the 'Sendable' protocol",
        """
        @MainActor final class Owner {
          var counter = Counter()
          func start(_ delegate: DynamicDelegate) throws {
            try isolated(delegate).implement("pass", options: .undeclared) \(closure)
          }
        }
        nonisolated func send(_ delegate: DynamicDelegate) throws {
          let counter = Counter()
          try \(sender)
          Task.detached { counter.count += 1 }
        }
        """)
    }
  }

  func testAScopeIsNotSentToAnotherTask() throws {
    try expectRefusal(
      "risks causing data races between code in the current task",
      """
      nonisolated func hook() throws {
        withIsolationScope { scope in
          Task.detached { try scope.isolated(block).hook(.before) { _ in } }
        }
      }
      """)
  }
}
