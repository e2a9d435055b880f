import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

private final class Counter: MessageReceiver, Sendable {
  let deinitAnswer: Recorder<Int>?

  init(_ deinitAnswer: Recorder<Int>? = nil) { self.deinitAnswer = deinitAnswer }

  deinit { if let answer: Int = try? send("add:", 1) { deinitAnswer?.record(answer) } }

  func add(_ number: Int) -> Int { number }
  func other() {}

  static let add = TypedSelector1<Counter, Int, Int>("add:")

  static var methods: MethodTable {
    MethodTable(Counter.self) {
      Method("add:", Counter.add)
      Method("other", Counter.other)
    }
  }
}

private final class Faults: Sendable {
  private let found = Atomic(0)
  var count: Int { found.load(ordering: .relaxed) }
  func add() { found.add(1, ordering: .relaxed) }
}

extension LifetimeTracker {
  /// Hooks the method of one object, by a typed closure or with a frame; the answer grows.
  fileprivate func addHook(
    to counter: Counter, typed: Bool, by difference: Int = 100
  ) throws -> Hook {
    let tracked = track()
    if typed {
      return try counter.hook(Counter.add) { original, _, number in
        withExtendedLifetime(tracked) {}
        return try original(number) + difference
      }
    }
    return try counter.target("add:").hook { call in
      withExtendedLifetime(tracked) {}
      try call.proceed()
      try call.setResult(call.result(as: Int.self) + difference)
    }
  }
}

/// Messages to objects that have hooks of their own, which are found without a lock.
final class ObjectSlotTests: XCTestCase {
  private let tracker = LifetimeTracker()

  /// Keeps the class's slot such that messages look for hooks of each object.
  private let other = Counter()
  private var hook: Hook?

  override func setUpWithError() throws {
    hook = try other.target("add:").hook { try $0.proceed() }
  }

  override func tearDown() {
    hook?.remove()
    tracker.expectNothingAlive()
  }

  func testHooksOfAnObjectComeAndGoWhileItIsSentTo() throws {
    let (counter, plain) = (Counter(), Counter())
    let faults = Faults()
    let rounds = shortened(2_000)
    inParallel(6) { [tracker] thread in
      for round in 0..<rounds {
        do {
          switch thread {
          case 0, 1:
            let answer: Int = try counter.send("add:", round)
            if answer - round < 0 || answer - round > 1_200 { faults.add() }
          case 2: if try plain.send("add:", round) as Int % 1_000 != round % 1_000 { faults.add() }
          case 3:
            let hook = try Counter.target("add:").hook(.after) { call in
              try call.setResult(call.result(as: Int.self) + 1_000)
            }
            hook.removeAndWait()
          default:
            let (tracked, isOver) = (tracker.track(), Ending())
            let hook =
              round % 2 == 0
              ? try counter.hook(Counter.add) { original, _, number in
                if isOver.isSet { faults.add() }
                defer { withExtendedLifetime(tracked) {} }
                return try original(number) + 100
              }
              : try counter.target("add:").hook { call in
                if isOver.isSet { faults.add() }
                withExtendedLifetime(tracked) {}
                try call.proceed()
                try call.setResult(call.result(as: Int.self) + 100)
              }
            hook.removeAndWait()
            isOver.set()
          }
        } catch {
          faults.add()
        }
      }
    }
    XCTAssertEqual(faults.count, 0)
    XCTAssertEqual(try counter.send("add:", 1), 1)
  }

  private final class Ending: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  func testALaterObjectAtTheAddressHasNoHooks() throws {
    let (faults, repeated) = (Faults(), Faults())
    let rounds = shortened(200)
    inParallel(4) { [tracker] thread in
      var addresses: Set<ObjectIdentifier> = []
      for _ in 0..<rounds {
        do {
          for _ in 0..<4 {
            let first = Counter()
            addresses.insert(ObjectIdentifier(first))
            _ = try tracker.addHook(to: first, typed: thread % 2 == 0)
            for _ in 0..<2 { if try first.send("add:", 1) as Int != 101 { faults.add() } }
          }
          for later in (0..<8).map({ _ in Counter() }) {
            if addresses.contains(ObjectIdentifier(later)) { repeated.add() }
            // The object is marked, because it has hooks of another method.
            _ = try later.target("other").hook { try $0.proceed() }
            for _ in 0..<2 { if try later.send("add:", 1) as Int != 1 { faults.add() } }
          }
        } catch {
          faults.add()
        }
      }
    }
    XCTAssertEqual(faults.count, 0)
    // AddressSanitizer gives no address twice for a while.
    if !isSanitized { XCTAssertGreaterThan(repeated.count, 0) }
  }

  func testTheHooksRunInTheDeinit() throws {
    for typed in [true, false] {
      let answers = Recorder<Int>()
      var counter: Counter? = Counter(answers)
      if let counter {
        _ = try tracker.addHook(to: counter, typed: typed)
        XCTAssertEqual(try counter.send("add:", 1), 101)
      }
      counter = nil
      XCTAssertEqual(answers.entries, [101])
    }
  }

  func testHooksAreAroundWhatTheClassHasNow() throws {
    let counter = Counter()
    let own = try tracker.addHook(to: counter, typed: true)
    func answers() throws -> [Int] { try (0..<2).map { _ in try counter.send("add:", 1) } }
    XCTAssertEqual(try answers(), [101, 101])
    let kept = Counter.replaceMethod(Method("add:") { (_: Counter, number: Int) in -number })
    XCTAssertEqual(try answers(), [99, 99])
    let ofClass = try Counter.target("add:").hook { call in
      try call.proceed()
      try call.setResult(call.result(as: Int.self) * 10)
    }
    XCTAssertEqual(try answers(), [90, 90])
    let outer = try tracker.addHook(to: counter, typed: false, by: 1)
    XCTAssertEqual(try answers(), [91, 91])
    if let kept { Counter.replaceMethod(kept) }
    ofClass.remove()
    XCTAssertEqual(try answers(), [102, 102])
    own.remove()
    XCTAssertEqual(try answers(), [2, 2])
    outer.remove()
    XCTAssertEqual(try answers(), [1, 1])
  }

  /// More objects than the cache has places.
  func testEachOfManyObjectsHasItsOwn() throws {
    let counters = (0..<5_000).map { _ in Counter() }
    var hooks: [Hook] = []
    for (index, counter) in counters.enumerated() {
      hooks.append(try tracker.addHook(to: counter, typed: index % 2 == 0, by: index))
    }
    for _ in 0..<2 {
      for (index, counter) in counters.enumerated() {
        XCTAssertEqual(try counter.send("add:", 1), index + 1)
      }
    }
    for hook in hooks { hook.remove() }
    for counter in counters { XCTAssertEqual(try counter.send("add:", 1), 1) }
  }
}
