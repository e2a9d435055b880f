import BlockHooks
import Dispatch
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Typed hooks and hooks with frames of one method: one kind of token, and one order.
final class MixedHookTests: XCTestCase {
  struct Refused: Error {}

  final class Counter: MessageReceiver, Sendable {
    func add(_ number: Int) -> Int { number + 1 }

    class var methods: MethodTable { MethodTable(Counter.self) { Method("add:", Counter.add) } }
  }

  static let add = TypedSelector1<Counter, Int, Int>("add:")

  private let order = Recorder<String>()

  /// Installs a hook that records its name.
  @discardableResult
  private func typed(
    _ name: String, _ priority: Int = 0, when conditions: HookConditions = .always,
    on object: Counter? = nil, _ body: @escaping @Sendable () throws -> Void = {}
  ) throws -> Hook {
    let handler: TypedSelector1<Counter, Int, Int>.Handler = { [order] original, _, number in
      order.record(name)
      try body()
      return try original(number)
    }
    return if let object {
      try object.hook(Self.add, name: name, priority: priority, when: conditions, handler)
    } else {
      try Counter.hook(Self.add, name: name, priority: priority, when: conditions, handler)
    }
  }

  @discardableResult
  private func framed(
    _ name: String, _ priority: Int = 0, on object: Counter? = nil,
    _ body: @escaping @Sendable () throws -> Void = {}
  ) throws -> Hook {
    let definition = HookDefinition(name: name, priority: priority) { [order] call in
      order.record(name)
      try body()
      try call.proceed()
    }
    return try (object?.target("add:") ?? Counter.target("add:")).install(definition)
  }

  private func send(_ receiver: Counter = Counter()) throws -> [String] {
    let answer = try receiver.send("add:", 1, returning: Int.self)
    XCTAssertEqual(answer, 2)
    return order.take()
  }

  override func tearDown() { for hook in Counter.target("add:").hooks { hook.remove() } }

  // MARK: - Order

  func testPriorityAndThenTimeOrderBothKinds() throws {
    try typed("t0")
    try framed("f0")
    try typed("t1", 1)
    try framed("f1", 1)
    try framed("f-1", -1)
    try typed("t0 later")
    try typed("t-1", -1)
    XCTAssertEqual(try send(), ["f1", "t1", "t0 later", "f0", "t0", "t-1", "f-1"])
    XCTAssertEqual(
      Counter.target("add:").hooks.map(\.name), ["f1", "t1", "t0 later", "f0", "t0", "t-1", "f-1"])
    // A message of other types comes through all of them.
    XCTAssertEqual(try Counter().send("add:", 1 as Int8, returning: Int16.self), 2)
    XCTAssertEqual(order.take().count, 7)
  }

  func testTheHooksOfAnObjectAreOutsideOfItsClassWhateverTheirKind() throws {
    let counter = Counter()
    try framed("class f", 5)
    try typed("class t", 9)
    try typed("own t", -9, on: counter)
    try framed("own f", -8, on: counter)
    XCTAssertEqual(try send(counter), ["own f", "own t", "class t", "class f"])
    XCTAssertEqual(try send(), ["class t", "class f"])
    XCTAssertEqual(counter.target("add:").hooks.map(\.name), ["own f", "own t"])
  }

  func testHooksOfBothKindsSurroundTheMethodThatReplacesAnother() throws {
    final class Own: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(Own.self) { Method("twice:") { (_: Own, a: Int) in a * 2 } }
      }
    }
    let twice = TypedSelector1<Own, Int, Int>("twice:")
    let typed = try Own.hook(twice) { original, _, number in try original(number) + 1 }
    let framed = try Own.target("twice:").hook { call in
      try call.proceed()
      try call.setResult(call.result(as: Int.self) * 10)
    }
    let outer = try Own.hook(twice) { original, _, number in try original(number) + 3 }
    XCTAssertEqual(try Own().send("twice:", 5, returning: Int.self), 113)
    Own.classObject.replaceMethod(Method("twice:") { (_: Own, a: Int) in a * 3 })
    XCTAssertEqual(try Own().send("twice:", 5, returning: Int.self), 163)
    Own.classObject.replaceMethod(Method("twice:") { (_: Own, a: String) in a + a })
    XCTAssertEqual(try Own().send("twice:", "ab", returning: String.self), "abab")
    Own.classObject.replaceMethod(Method("twice:") { (_: Own, a: Int) in a * 4 })
    XCTAssertEqual(try Own().send("twice:", 5, returning: Int.self), 213)
    for hook in [outer, framed, typed] { hook.remove() }
    XCTAssertEqual(try Own().send("twice:", 5, returning: Int.self), 20)
  }

  func testAMethodHasRoomForALimitedNumberOfTypedHooks() throws {
    for number in 0..<250 { try typed("\(number)") }
    XCTAssertEqual(try send().count, 250)
    XCTAssertThrowsError(try typed("one more")) {
      XCTAssertEqual(($0 as? MessageError)?.code, .tooManyHooks)
    }
  }

  // MARK: - The token

  func testATypedHookIsSuspendedResumedAndScoped() throws {
    let first = try typed("first")
    try framed("second")
    XCTAssertTrue(first.suspend())
    XCTAssertFalse(first.suspend())
    XCTAssertTrue(first.isSuspended)
    XCTAssertFalse(first.isInstalled)
    XCTAssertEqual(try send(), ["second"])
    XCTAssertTrue(try first.resume())
    XCTAssertFalse(try first.resume())
    XCTAssertEqual(try send(), ["first", "second"])
    do {
      let scoped = first.scoped()
      XCTAssertEqual(try send(), ["first", "second"])
      XCTAssertTrue(scoped.token === first)
    }
    XCTAssertEqual(try send(), ["second"])
    XCTAssertFalse(try first.resume())
  }

  func testATypedHookThatIsRemovedInACallDoesNotRunInIt() throws {
    for outerIsTyped in [true, false] {
      let inner = try typed("inner")
      let remove: @Sendable () -> Void = { inner.remove() }
      let outer = try outerIsTyped ? typed("outer", 0, remove) : framed("outer", 0, remove)
      XCTAssertEqual(try send(), ["outer"])
      outer.remove()
    }
  }

  func testATypedHookThatEndsWithItsObjectIsNotInstalled() throws {
    var counter: Counter? = Counter()
    let hook = try typed("own", on: counter)
    XCTAssertTrue(hook.isInstalled)
    counter = nil
    XCTAssertFalse(hook.isInstalled)
    XCTAssertFalse(hook.remove())
  }

  // MARK: - Conditions

  func testATypedHookHasConditions() throws {
    let once = try typed("once", when: .once)
    try typed("every", when: .every(2))
    try typed("where", when: .where { call in try call.argument(2, as: Int.self) == 1 })
    try typed("elsewhere", when: .where { call in try call.argument(2, as: Int.self) == 7 })
    XCTAssertEqual(try send(), ["where", "every", "once"])
    XCTAssertFalse(once.isInstalled)
    XCTAssertEqual(try send(), ["where"])
    XCTAssertEqual(try send(), ["where", "every"])
    XCTAssertThrowsError(try typed("none", when: .times(0))) {
      XCTAssertEqual(($0 as? MessageError)?.code, .invalidCondition)
    }
  }

  private final class Nested: MessageReceiver, Sendable {
    static let step = TypedSelector1<Nested, Int, Int>("step:")
    let within: @Sendable (Nested) throws -> Void
    init(_ within: @escaping @Sendable (Nested) throws -> Void) { self.within = within }
    class var methods: MethodTable {
      MethodTable(Nested.self) {
        Method("step:") { (nested: Nested, number: Int) throws in
          if number == 1 { try nested.within(nested) }
          return number
        }
      }
    }
  }

  func testACallWithinAnAdmittedOneIsDecidedByItself() throws {
    let seen = Recorder<Int>()
    let isOne = HookConditions.where { call in try call.argument(2, as: Int.self) == 1 }
    let hook = try Nested.hook(Nested.step, when: isOne) { original, _, number in
      seen.record(number)
      return try original(number)
    }
    defer { hook.remove() }
    let nested = Nested { _ = try $0.send("step:", 2, returning: Int.self) }
    for _ in 0..<2 { XCTAssertEqual(try nested.send("step:", 1, returning: Int.self), 1) }
    XCTAssertEqual(seen.entries, [1, 1])
  }

  /// It comes back within the method.
  func testAHookThatItsConditionSuspendsRunsInNoCall() throws {
    let (seen, tokens) = (Recorder<Int>(), Recorder<Hook>())
    let suspending = HookConditions.where { call in
      guard try call.argument(2, as: Int.self) == 1 else { return false }
      for hook in tokens.entries { hook.suspend() }
      return true
    }
    let hook = try Nested.hook(Nested.step, when: suspending) { original, _, number in
      seen.record(number)
      return try original(number)
    }
    defer { hook.remove() }
    tokens.record(hook)
    let nested = Nested { nested in
      XCTAssertTrue(try hook.resume())
      _ = try nested.send("step:", 2, returning: Int.self)
    }
    XCTAssertEqual(try nested.send("step:", 1, returning: Int.self), 1)
    XCTAssertEqual(try nested.send("step:", 3, returning: Int.self), 3)
    XCTAssertEqual(seen.entries, [])
  }

  func testASuspendedHookKeepsItsSignature() throws {
    final class Own: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(Own.self) { Method("twice:") { (_: Own, a: Int) in a * 2 } }
      }
    }
    let hook = try Own.target("twice:").hook { try $0.proceed() }
    XCTAssertTrue(hook.suspend())
    Own.classObject.replaceMethod(Method("twice:") { (_: Own, a: String) in a + a })
    expectError(.signatureConflict) { try Own.target("twice:").hook { _ in } }
    XCTAssertTrue(try hook.resume())
    hook.remove()
    let other = try Own.target("twice:").hook { try $0.proceed() }
    XCTAssertEqual(try Own().send("twice:", "ab", returning: String.self), "abab")
    other.remove()
  }

  func testTheErrorsOfATypedHookWithConditionsAreTheSenders() throws {
    try framed("outer", 1)
    try typed("inner", when: .every(2)) { throw Refused() }
    XCTAssertThrowsError(try send()) {
      XCTAssertTrue(($0 as? MessageError)?.underlyingError is Refused, "\($0)")
    }
    XCTAssertEqual(order.take(), ["outer", "inner"])
    XCTAssertEqual(try send(), ["outer"])
  }

  func testAnAsyncHookHasConditionsAndMayBeRemovedByAnOuterOne() async throws {
    final class Saver: MessageReceiver, Sendable {
      func save(_ number: Int) async throws -> Int { number }
      class var methods: MethodTable { MethodTable(Saver.self) { Method("save:", Saver.save) } }
    }
    let selector = AsyncTypedSelector1<Saver, Int, Int>("save:")
    let once = try Saver.hook(selector, when: .once) { original, _, number in
      try await original(number) + 10
    }
    let place = Recorder<Hook>()
    place.record(
      try Saver.hook(selector, priority: -1) { original, _, number in
        try await original(number) + 100
      })
    let outer = try Saver.hook(selector, priority: 1) { original, _, number in
      if number == 5 { for hook in place.entries { hook.remove() } }
      return try await original(number) + 1000
    }
    defer { for hook in place.entries + [once, outer] { hook.remove() } }
    let saver = Saver()
    var answers: [Int] = []
    for number in 3...5 { answers.append(try await saver.send(selector, number)) }
    XCTAssertEqual(answers, [1113, 1104, 1005])
  }

  // MARK: - Waiting

  /// What is around the hook that is removed: names of hooks, the outermost first.
  private static let arrangements = [
    ["T"], ["t", "T"], ["T", "t"], ["f", "T"], ["T", "f"], ["t", "T", "t"], ["f", "T", "f"],
    ["t", "f", "T", "f", "t"], ["C"], ["t", "C"], ["C", "t"], ["f", "C", "f"],
  ]

  /// Installs the hooks of an arrangement; the one in capitals runs `body`, the outermost `outer`.
  private func install(
    _ arrangement: [String], on object: Counter?, outer: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () -> Void
  ) throws -> Hook {
    var hooks: [Hook] = []
    var found: Hook?
    for (index, kind) in arrangement.enumerated().reversed() {
      let isFound = kind == kind.uppercased()
      let other: @Sendable () -> Void = { if index == 0 { outer() } }
      let body = isFound ? body : other
      let hook =
        switch kind {
        case "f": try framed(kind, on: object, body)
        case "C": try typed(kind, when: .times(1_000_000), on: object, body)
        default: try typed(kind, on: object, body)
        }
      if isFound { found = hook }
      hooks.append(hook)
    }
    return try XCTUnwrap(found)
  }

  private func forEachArrangement(_ body: ([String], Counter?) throws -> Void) rethrows {
    for arrangement in Self.arrangements {
      for object in [nil, Counter()] {
        try body(arrangement, object)
        tearDown()
      }
    }
  }

  func testRemoveAndWaitWaitsForATypedHandlerOnAnotherThread() throws {
    try forEachArrangement { arrangement, object in
      let gate = Gate()
      let hook = try install(arrangement, on: object) { gate.pass() }
      let threads = ThreadGroup()
      let receiver = object ?? Counter()
      threads.start { _ = try? receiver.send("add:", 1, returning: Int.self) }
      gate.awaitArrival()
      let removed = DispatchSemaphore(value: 0)
      threads.start {
        hook.remove()
        removed.signal()
        hook.removeAndWait()
        XCTAssertTrue(gate.hasPassed, "\(arrangement)")
      }
      removed.wait()
      gate.open()
      threads.wait()
    }
  }

  func testRemoveAndWaitDoesNotWaitForOuterHandlers() throws {
    try forEachArrangement { arrangement, object in
      guard arrangement[0] != arrangement[0].uppercased() else { return }
      let gate = Gate()
      let hook = try install(arrangement, on: object, outer: { gate.pass() }) {
        XCTFail("\(arrangement): a removed hook has run")
      }
      let threads = ThreadGroup()
      let receiver = object ?? Counter()
      threads.start { _ = try? receiver.send("add:", 1, returning: Int.self) }
      gate.awaitArrival()
      XCTAssertTrue(hook.removeAndWait())
      gate.open()
      threads.wait()
    }
  }

  func testAHandlerMayRemoveItsOwnHookAndWait() throws {
    try forEachArrangement { arrangement, object in
      let place = Recorder<Hook>()
      place.record(
        try install(arrangement, on: object) {
          for hook in place.entries { XCTAssertTrue(hook.removeAndWait()) }
        })
      XCTAssertEqual(try send(object ?? Counter()).count, arrangement.count)
      XCTAssertEqual(try send(object ?? Counter()).count, arrangement.count - 1)
    }
  }

  func testHooksOfBothKindsComeAndGoWhileOtherThreadsSend() throws {
    let tracker = LifetimeTracker()
    let wrong = Recorder<Int>()
    let threads = ThreadGroup()
    let shared = Counter()
    for thread in 0..<4 {
      threads.start {
        var random = SeededGenerator(seed: UInt64(thread))
        for round in 0..<shortened(5_000) {
          guard thread < 2 else {
            let receiver = round % 2 == 0 ? shared : Counter()
            let answer = (try? receiver.send("add:", round, returning: Int.self)) ?? -1
            if answer != round + 1 { wrong.record(answer) }
            continue
          }
          let tracked = tracker.track()
          let priority = Int.random(in: -1...1, using: &random)
          let hook: Hook?
          switch Int.random(in: 0..<4, using: &random) {
          case 0:
            hook = try? Counter.target("add:").hook(priority: priority) { call in
              withExtendedLifetime(tracked) {}
              try call.proceed()
            }
          case 1:
            hook = try? shared.hook(Self.add, priority: priority) { original, _, number in
              withExtendedLifetime(tracked) {}
              return try original(number + 7) - 7
            }
          default:
            hook = try? Counter.hook(Self.add, priority: priority) { original, _, number in
              withExtendedLifetime(tracked) {}
              return try original(number + 100) - 100
            }
          }
          if Bool.random(using: &random) { _ = hook?.suspend() }
          if Bool.random(using: &random) { _ = try? hook?.resume() }
          if round % 8 == 0 { hook?.removeAndWait() } else { hook?.remove() }
          if hook == nil { wrong.record(-2) }
        }
      }
    }
    threads.wait()
    XCTAssertEqual(wrong.entries, [])
    XCTAssertEqual(Counter.target("add:").hooks.count + shared.target("add:").hooks.count, 0)
    XCTAssertEqual(try shared.send("add:", 1, returning: Int.self), 2)
    XCTAssertEqual(try Counter().send("add:", 1, returning: Int.self), 2)
    tracker.expectNothingAlive()
  }
}
