import DelayedBlocks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Async methods whose answer nobody asks for: they run in a task of their own, to their end.
final class IgnoredAnswerTests: XCTestCase {
  private struct Full: Error {}

  private final class Saver: TypedMessageReceiver, Sendable {
    let name: String
    private let answer: Int?
    private let ended: @Sendable (String) -> Void

    init(_ name: String = "", _ answer: Int? = nil, _ ended: @escaping @Sendable (String) -> Void) {
      (self.name, self.answer, self.ended) = (name, answer, ended)
    }

    func save() async {
      await Task.yield()
      ended("save\(name)")
    }
    func load(_ number: Int) async -> Int? {
      await Task.yield()
      ended("load\(name) \(number)")
      return answer
    }
    func add(_ first: Int, _ second: Int) async -> Int {
      ended("add \(first + second)")
      return first + second
    }
    func isFull() async -> Bool {
      ended("asked\(name)")
      return answer != nil
    }
    func fail() async throws { throw Full() }

    struct Messages: MessageNames {
      var save: AsyncTypedSelector0<Saver, Void> { .init("save") }
      var load: AsyncTypedSelector1<Saver, Int, Int?> { .init("load:") }
      var add: AsyncTypedSelector2<Saver, Int, Int, Int> { .init("add:to:") }
    }

    static var methods: MethodTable {
      MethodTable(Saver.self) {
        Method("save", Saver.save)
        Method("load:", Saver.load)
        Method("add:to:", Saver.add)
        Method("isFull", Saver.isFull)
        Method("fail", Saver.fail)
      }
    }
  }

  private let clock = ManualClock()
  private let calls = Recorder<String>()

  /// Waits for the calls of some methods, in any order.
  private func expect(
    _ expected: String..., line: UInt = #line, _ body: (Saver) throws -> Void
  ) async rethrows {
    let all = expectation(description: "\(expected)")
    all.expectedFulfillmentCount = expected.count
    try body(
      Saver { [calls] in
        calls.record($0)
        all.fulfill()
      })
    await fulfillment(of: [all], timeout: 60)
    XCTAssertEqual(calls.take().sorted(), expected.sorted(), line: line)
  }

  private func statements(_ saver: Saver) throws {
    try saver.send("save")
    try saver.send("load:", 1)
    try saver.send("add:to:", 1, 2)
  }

  func testStatementsRunTheMethod() async throws {
    try await expect("save", "load 1", "add 3") { try statements($0) }
  }

  /// Where nothing awaits, also at the top level of a program, the compiler took the answer for ignored.
  func testATypedSelectorOfAnAsyncMethodIsAwaited() async throws {
    let declarations = """
      import MessageForwarding
      actor Counter: TypedMessageReceiver {
        private(set) var count = 0
        func add(_ number: Int) { count += number }
        struct Messages: MessageNames {
          var add: AsyncTypedSelector1<Counter, Int, Void> { .init("add:") }
        }
        static var methods: MethodTable {
          MethodTable(Counter.self) {
            Method("add:") { (counter: isolated Counter, number: Int) in counter.add(number) }
          }
        }
      }
      let counter = Counter()

      """
    for selector in ["\\.add", "Counter.Messages().add"] {
      let client = try ClientCode(self)
      XCTAssertNil(
        try client.refusal(of: declarations + "try await counter.send(\(selector), 2)"))
      let refusal = try client.refusal(
        of: declarations + "func add() throws { try counter.send(\(selector), 2) }")
      XCTAssertTrue(refusal?.contains("'async' call in a function") ?? false, refusal ?? "none")
    }
    await expect("add 3", "add 4", "save") { saver in
      Task { @Sendable in
        try await saver.send(\.add, 1, 2)
        try await saver.send(Saver.Messages().add, 2, 2)
        try await saver.send(\.save)
      }
    }
  }

  func testAMessageThatIsSentLaterRunsTheMethod() async throws {
    let timer = DelayTimer(clock: clock)
    try await expect("save", "save", "load 3") { saver in
      try saver.perform("save", after: .seconds(1), timer: timer)
      try saver.perform(\.save, after: .seconds(1), timer: timer)
      try saver.perform(\.load, 3, after: .seconds(1), timer: timer)
      clock.advance(by: .seconds(1))
    }
    try await expect("save") { saver in
      try withIsolationScope { scope in
        try scope.isolated(saver).perform("save", after: .seconds(1), timer: timer)
        clock.advance(by: .seconds(1))
      }
    }
  }

  func testItsErrorGoesToTheHandlerOfTheMessage() async throws {
    let failed = expectation(description: "failed")
    try Saver { _ in }.perform(
      "fail", after: .seconds(1), timer: DelayTimer(clock: clock),
      onError: { error in
        XCTAssertEqual(error.code, .thrown)
        XCTAssertTrue(error.underlyingError is Full)
        failed.fulfill()
      })
    clock.advance(by: .seconds(1))
    await fulfillment(of: [failed], timeout: 60)
  }

  func testAnInvocationThatIsPerformedAwaitsTheMethod() async throws {
    let timer = DelayTimer(clock: clock)
    let saver = Saver("", 7) { [calls] in calls.record($0) }
    let saved = try saver.record(\.save).perform(after: .seconds(1), timer: timer)
    let loaded: DelayedValue<Int?> = try saver.record(\.load, 1).perform(
      returning: Int?.self, after: .seconds(1), timer: timer)
    let ignored = try saver.record(\.load, 2).perform(after: .seconds(1), timer: timer)
    let failed = try saver.record { try $0.send("fail") }.perform(after: .seconds(1), timer: timer)
    let mistaken = try saver.record(\.load, 3).perform(
      returning: String.self, after: .seconds(1), timer: timer)
    clock.advance(by: .seconds(1))
    try await saved.value
    let value = try await loaded.value
    XCTAssertEqual(value, 7)
    try await ignored.value
    do {
      try await failed.value
      XCTFail("no error")
    } catch let error as MessageError { XCTAssertTrue(error.underlyingError is Full) }
    do {
      _ = try await mistaken.value
      XCTFail("no error")
    } catch let error as MessageError { XCTAssertEqual(error.code, .typeMismatch) }
    XCTAssertEqual(calls.entries.sorted(), ["load 1", "load 2", "load 3", "save"])
  }

  // MARK: - Proxies

  /// What the targets of a proxy are asked, of which the second and the third answer.
  private func asked(
    _ policy: ResultPolicy, _ count: Int, _ send: (MultiTargetProxy) throws -> Void
  ) async rethrows -> [String] {
    let all = expectation(description: "asked")
    all.expectedFulfillmentCount = count
    let saved: @Sendable (String) -> Void = { [calls] in
      calls.record($0)
      all.fulfill()
    }
    let targets = [Saver(" A", nil, saved), Saver(" B", 1, saved), Saver(" C", 2, saved)]
    try send(MultiTargetProxy(weak: targets, policy: policy))
    await fulfillment(of: [all], timeout: 60)
    // Whatever runs too much is enqueued by now, and not awaited.
    for _ in 0..<10 { await Task.yield() }
    withExtendedLifetime(targets) {}
    return calls.take().sorted()
  }

  func testAMessageWithoutAResultGoesToAllTargets() async throws {
    for policy in [ResultPolicy.automatic, .all, .last, .firstNonNil] {
      let asked = try await asked(policy, 3) { try $0.send("save") }
      XCTAssertEqual(asked, ["save A", "save B", "save C"])
    }
    let asked = try await asked(.first, 1) { try $0.send("save") }
    XCTAssertEqual(asked, ["save A"])
  }

  func testAPolicyAwaitsAnswersThatAreIgnored() async throws {
    var asked = try await asked(.firstNonNil, 2) { try $0.send("load:", 1) }
    XCTAssertEqual(asked, ["load A 1", "load B 1"])
    asked = try await self.asked(.automatic, 1) { try $0.send("load:", 1) }
    XCTAssertEqual(asked, ["load A 1"])
    asked = try await self.asked(.any, 3) { try $0.send("isFull") }
    XCTAssertEqual(asked, ["asked A", "asked B", "asked C"])
  }

  func testInvocationsToAProxyAreAnsweredByItsPolicy() async throws {
    let targets = [Saver(" A", nil) { _ in }, Saver(" B", 1) { _ in }, Saver(" C", 2) { _ in }]
    func answer<Value: Sendable>(
      _ selector: Selector, _ argument: Int?, _ policy: ResultPolicy, as: Value.Type
    ) async throws -> Value {
      let proxy = MultiTargetProxy(weak: targets, policy: policy)
      let invocation = try proxy.record {
        if let argument { try $0.send(selector, argument) } else { try $0.send(selector) }
      }
      return try await invocation.sendAsync(returning: Value.self)
    }
    let first = try await answer("load:", 1, .firstNonNil, as: Int?.self)
    XCTAssertEqual(first, 1)
    let last = try await answer("load:", 1, .last, as: Int?.self)
    XCTAssertEqual(last, 2)
    let any = try await answer("isFull", nil, .any, as: Bool.self)
    XCTAssertTrue(any)
    let all = try await answer("isFull", nil, .allOf, as: Bool.self)
    XCTAssertFalse(all)
  }
}
