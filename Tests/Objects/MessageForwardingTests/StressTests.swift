import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

/// Messages, hooks and changes of methods at once; under ThreadSanitizer it finds races.
final class StressTests: XCTestCase {
  private final class Counter: MessageReceiver, Sendable {
    let calls = Atomic(0)
    let hooked = Atomic(0)

    func add(_ number: Int) -> Int {
      calls.add(number, ordering: .relaxed)
      return number
    }

    static var methods: MethodTable {
      MethodTable(Counter.self) {
        Method("add:", Counter.add)
        Method("fixed") { (_: Counter) -> Int in 1 }
      }
    }
  }

  private final class FailureCount: Sendable {
    private let failures = Atomic(0)
    var count: Int { failures.load(ordering: .relaxed) }
    func add() { failures.add(1, ordering: .relaxed) }
  }

  private static let rounds = shortened(2000)

  func testNoCallIsLostWhileHooksComeAndGo() throws {
    let counter = Counter()
    let failures = FailureCount()
    inParallel(4) { thread in
      for round in 0..<Self.rounds {
        do {
          if thread < 2 {
            let answer =
              round % 3 == 0
              ? try counter.send("add:", values: [1]) == 1
              : try counter.send("add:", 1, returning: Int.self) == 1
            if !answer { failures.add() }
          } else if thread == 2 {
            let hook = try Counter.target("add:").hook { call in
              counter.hooked.add(1, ordering: .relaxed)
              try call.proceed()
            }
            hook.removeAndWait()
          } else {
            let hook = try counter.target("add:").hook(.after) { _ in
              counter.hooked.add(1, ordering: .relaxed)
            }
            hook.remove()
          }
        } catch {
          failures.add()
        }
      }
    }
    XCTAssertEqual(failures.count, 0)
    XCTAssertEqual(counter.calls.load(ordering: .relaxed), 2 * Self.rounds)
    XCTAssertEqual(Counter.target("add:").hooks.count, 0)
  }

  func testAMethodIsReplacedWhileItIsCalled() throws {
    let tracker = LifetimeTracker()
    let counter = Counter()
    let failures = FailureCount()
    inParallel(3) { thread in
      for round in 0..<Self.rounds {
        if thread == 0 {
          let captured = tracker.track()
          Counter.replaceMethod(
            Method("fixed") { (_: Counter) -> Int in withExtendedLifetime(captured) { round } })
        } else if (try? counter.send("fixed", returning: Int.self)) == nil {
          failures.add()
        }
      }
    }
    XCTAssertEqual(failures.count, 0)
    Counter.replaceMethod(Method("fixed") { (_: Counter) -> Int in 1 })
    tracker.expectNothingAlive()
  }

  func testManyClassesAreMadeUsedAndDisposedOfAtOnce() throws {
    let failures = FailureCount()
    inParallel(3) { thread in
      for round in 0..<(Self.rounds / 10) {
        do {
          let made = try DynamicClass("Stress \(thread) \(round)")
          made.addMethod(Method("one") { (_: DynamicObject) -> Int in round })
          try made.register()
          let hook = try made.instanceTarget("one").hook(.before) { _ in }
          if try made.makeInstance().send("one", returning: Int.self) != round {
            failures.add()
          }
          hook.remove()
          try made.dispose()
        } catch {
          failures.add()
        }
      }
    }
    XCTAssertEqual(failures.count, 0)
  }

  func testAPermanentHookCountsEveryCallOfManyThreads() throws {
    let counter = Counter()
    let failures = FailureCount()
    let hook = try counter.target("add:").hook(.before) { call in
      try call.argument(0, as: Counter.self).hooked.add(1, ordering: .relaxed)
    }
    inParallel(4) { _ in
      for _ in 0..<Self.rounds where (try? counter.send("add:", 1, returning: Int.self)) != 1 {
        failures.add()
      }
    }
    hook.remove()
    XCTAssertEqual(failures.count, 0)
    XCTAssertEqual(counter.hooked.load(ordering: .relaxed), 4 * Self.rounds)
    XCTAssertEqual(counter.calls.load(ordering: .relaxed), 4 * Self.rounds)
  }

  func testAThousandHooksAreInstalledAndRemovedInParallel() throws {
    let counter = Counter()
    let failures = FailureCount()
    let hooks = Recorder<Hook>()
    let count = (isSanitized ? 200 : emulated(1000))
    inParallel(4) { _ in
      for _ in 0..<(count / 4) {
        let hook = try? Counter.target("add:").hook(.before) { _ in
          counter.hooked.add(1, ordering: .relaxed)
        }
        guard let hook else { return failures.add() }
        hooks.record(hook)
      }
    }
    XCTAssertEqual(Counter.target("add:").hooks.count, count)
    try counter.send("add:", 1)
    XCTAssertEqual(counter.hooked.load(ordering: .relaxed), count)
    final class Removed: Sendable { let count = Atomic(0) }
    let removals = Removed()
    inParallel(4) { _ in
      for hook in hooks.entries where hook.remove() { removals.count.add(1, ordering: .relaxed) }
    }
    XCTAssertEqual(removals.count.load(ordering: .relaxed), count)
    XCTAssertEqual(Counter.target("add:").hooks.count, 0)
    try counter.send("add:", 1)
    XCTAssertEqual(counter.hooked.load(ordering: .relaxed), count)
    XCTAssertEqual(failures.count, 0)
  }

  func testHookedObjectsDieOnManyThreads() throws {
    let tracker = LifetimeTracker()
    let failures = FailureCount()
    inParallel(3) { _ in
      for _ in 0..<(Self.rounds / 4) {
        let counter = Counter()
        let captured = tracker.track()
        guard
          (try? counter.target("add:").hook(.before) { _ in withExtendedLifetime(captured) {} })
            != nil,
          (try? counter.send("add:", 2, returning: Int.self)) == 2
        else {
          failures.add()
          continue
        }
      }
    }
    XCTAssertEqual(failures.count, 0)
    tracker.expectNothingAlive()
    // Messages to other instances go straight to the method again.
    XCTAssertEqual(try Counter().send("add:", 1, returning: Int.self), 1)
  }
}

/// Runs a closure on several threads at once, and waits for all.
func inParallel(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
  let threads = ThreadGroup()
  for thread in 0..<count { threads.start { body(thread) } }
  threads.wait()
}
