import BlockHooks
import Dispatch
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

/// What was removed does not start, also in calls that began before with another list of hooks, and
/// `removeAndWait()` waits for the hook's own handler only.
final class MethodHookRemovalTests: XCTestCase {
  typealias Kind = HookedCounter.Kind

  override func tearDown() { HookedCounter.removeHooks() }

  // MARK: - What was removed does not start

  func testAHookThatIsRemovedInACallDoesNotStartWhateverIsInstalledThere() throws {
    for outerKind in Kind.allCases {
      for newKind in Kind.allCases {
        for receiver in [nil, HookedCounter()] {
          let order = Recorder<String>()
          let inner = try HookedCounter.hook(.framed, of: receiver) { order.record("inner") }
          // Keeps the outer one in a run of its own.
          let between = try HookedCounter.hook(.typed, 1, of: receiver) { order.record("between") }
          let new = Recorder<Hook>()
          let outer = try HookedCounter.hook(outerKind, 2, of: receiver) {
            // It runs in later calls only.
            new.record(try HookedCounter.hook(newKind, -1, of: receiver) { order.record("new") })
            inner.removeAndWait()
            order.record("removed")
          }
          XCTAssertEqual(try (receiver ?? HookedCounter()).send(), 2)
          XCTAssertEqual(order.take(), ["removed", "between"], "\(outerKind), \(newKind)")
          for hook in [inner, between, outer] + new.take() { hook.remove() }
        }
      }
    }
  }

  func testARemovedHookDoesNotStartInACallOfAnotherThread() throws {
    let counter = HookedCounter()
    let gate = Gate()
    let order = Recorder<String>()
    let inner = try HookedCounter.hook(.framed, of: nil) { order.record("inner") }
    try HookedCounter.hook(.typed, 1, of: nil) { gate.pass() }
    let threads = ThreadGroup()
    threads.start { _ = try? counter.send() }
    gate.awaitArrival()
    try HookedCounter.hook(.framed, -1, of: nil) { order.record("new") }
    inner.removeAndWait()
    gate.open()
    threads.wait()
    XCTAssertFalse(order.take().contains("inner"))
  }

  func testAHookThatIsSuspendedInACallDoesNotStart() throws {
    let order = Recorder<String>()
    let inner = try HookedCounter.hook(.framed, of: nil) { order.record("inner") }
    try HookedCounter.hook(.typed, 1, of: nil) {
      try HookedCounter.hook(.framed, -1, of: nil)
      inner.suspend()
      order.record("suspended")
    }
    try HookedCounter().send()
    XCTAssertEqual(order.take(), ["suspended"])
  }

  func testAClassHookThatAHookOfAnObjectRemovesDoesNotStart() throws {
    let counter = HookedCounter()
    let order = Recorder<String>()
    let inner = try HookedCounter.hook(.framed, of: nil) { order.record("inner") }
    try HookedCounter.hook(.typed, of: counter) {
      try HookedCounter.hook(.typed, -1, of: nil)
      inner.remove()
      order.record("removed")
    }
    try counter.send()
    XCTAssertEqual(order.take(), ["removed"])
  }

  func testRandomChangesInACallKeepOutWhatWasRemoved() throws {
    for seed in 0..<UInt64(shortened(300)) {
      var random = SeededGenerator(seed: seed)
      let order = Recorder<Int>()
      let counter = HookedCounter()
      let changes = Recorder<@Sendable () -> Void>()
      let place = Mutex<Int?>(nil)
      var hooks: [Hook] = []
      for index in 0..<6 {
        let kind = try XCTUnwrap(Kind.allCases.randomElement(using: &random))
        let receiver = Bool.random(using: &random) ? counter : nil
        let priority = Int.random(in: -2...2, using: &random)
        hooks.append(
          try HookedCounter.hook(kind, priority, of: receiver) {
            order.record(index)
            if place.withLock({ $0 }) == index { for change in changes.take() { change() } }
          })
      }
      try counter.send()
      let before = order.take()
      let changing = Int.random(in: 0..<before.count, using: &random)
      place.withLock { $0 = before[changing] }
      var removed: Set<Int> = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if Bool.random(using: &random) {
          let kind = try XCTUnwrap(Kind.allCases.randomElement(using: &random))
          let receiver = Bool.random(using: &random) ? counter : nil
          let priority = Int.random(in: -3...3, using: &random)
          changes.record { _ = try? HookedCounter.hook(kind, priority, of: receiver) }
        } else {
          let index = Int.random(in: 0..<hooks.count, using: &random)
          removed.insert(index)
          let hook = hooks[index]
          let isSuspended = Bool.random(using: &random)
          changes.record { if isSuspended { hook.suspend() } else { hook.removeAndWait() } }
        }
      }
      try counter.send()
      let expected = before.enumerated().filter { $0 <= changing || !removed.contains($1) }
      XCTAssertEqual(order.take(), expected.map(\.element), "seed \(seed)")
      HookedCounter.removeHooks()
      for hook in hooks { hook.remove() }
    }
  }

  // MARK: - Waiting

  struct Waited: Error { let name: String }

  /// Starts a thread that removes a hook and waits, and expects that it need not wait.
  ///
  /// - Throws: `Waited` after a long time; then it lets the call go on.
  private func expectNoWaiting(
    _ hook: Hook, _ call: Gate, _ threads: ThreadGroup, _ name: String
  ) throws {
    let isRemoved = DispatchSemaphore(value: 0)
    threads.start {
      hook.removeAndWait()
      isRemoved.signal()
    }
    let outcome = isRemoved.wait(timeout: .now() + 30)
    call.open()
    threads.wait()
    guard outcome == .success else { throw Waited(name: name) }
  }

  func testRemoveAndWaitDoesNotWaitForWhatIsInsideOfARemovedHook() throws {
    for removedKind in Kind.allCases {
      for (outerKind, innerKind) in zip(Kind.allCases + [.typed], [Kind.typed] + Kind.allCases) {
        for receiver in [nil, HookedCounter()] {
          let gate = Gate()
          let inner = try HookedCounter.hook(innerKind, of: receiver) { gate.pass() }
          let removed = try HookedCounter.hook(removedKind, 1, of: receiver) {
            XCTFail("a removed hook has run")
          }
          let outer = try HookedCounter.hook(outerKind, 2, of: receiver) { removed.remove() }
          let threads = ThreadGroup()
          threads.start { _ = try? (receiver ?? HookedCounter()).send() }
          gate.awaitArrival()
          try expectNoWaiting(removed, gate, threads, "\(outerKind), \(removedKind), \(innerKind)")
          for hook in [inner, outer] { hook.remove() }
        }
      }
    }
  }

  func testRemoveAndWaitDoesNotWaitForTheMethod() throws {
    final class Waiting: MessageReceiver, Sendable {
      let gate = Gate()
      class var methods: MethodTable {
        MethodTable(Waiting.self) { Method("go") { (waiting: Waiting) in waiting.gate.pass() } }
      }
    }
    let go = TypedSelector0<Waiting, Void>("go")
    let waiting = Waiting()
    let removed = try Waiting.hook(go) { _, _ in XCTFail("a removed hook has run") }
    let outer = try Waiting.hook(go) { original, _ in
      removed.remove()
      try original()
    }
    let threads = ThreadGroup()
    threads.start { try? waiting.send("go") }
    waiting.gate.awaitArrival()
    try expectNoWaiting(removed, waiting.gate, threads, "the method")
    outer.remove()
  }

  func testRemoveAndWaitWaitsForAHandlerBehindAProxy() throws {
    for policy in [ResultPolicy.automatic, .last, .all] {
      for kind in Kind.allCases {
        let gate = Gate()
        let hook = try HookedCounter.hook(kind, of: nil) { gate.pass() }
        let threads = ThreadGroup()
        threads.start {
          let proxy = MultiTargetProxy(strong: [HookedCounter()], policy: policy)
          _ = try? proxy.send("add:", 1, returning: Int.self)
        }
        gate.awaitArrival()
        let isRemoved = DispatchSemaphore(value: 0)
        threads.start {
          hook.remove()
          isRemoved.signal()
          hook.removeAndWait()
          XCTAssertTrue(gate.hasPassed, "has not waited: \(kind), \(policy)")
        }
        isRemoved.wait()
        // Gives a removal that does not wait time to be seen.
        for _ in 0..<1_000 { sched_yield() }
        gate.open()
        threads.wait()
      }
    }
  }
}
