import BlockABI
import BlockHooks
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Whom `removeAndWait()` waits for, in each arrangement of hooks: for its handler, and not for the
/// rest of the call.
final class RunningHandlerTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int) -> Int

  /// The positions of the hooks of one arrangement, the outermost last.
  private static let arrangements: [[HookPositions]] = [
    [.before], [.after], [[.before, .after]], [.instead], [.before, .before], [.after, .before],
    [.before, .after], [[.before, .after], .instead], [.before, .instead], [.after, .instead],
    [.instead, .before], [.instead, .after], [.instead, [.before, .after]],
    [.before, .instead, .after], [.after, .instead, .instead, .before],
  ]

  /// Stops a thread at a place until another thread lets it go on.
  private final class Gate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    let hasPassed = Atomic(false)

    func arrive() { arrived.signal() }

    func pass() {
      arrive()
      opened.wait()
      hasPassed.store(true, ordering: .sequentiallyConsistent)
    }

    func awaitArrival() { arrived.wait() }
    func open() { opened.signal() }
  }

  private func hook(
    _ block: Block, _ positions: HookPositions,
    _ body: @escaping @Sendable (CallFrame.Position) -> Void
  ) throws -> Hook {
    try block.hook(positions) { call in
      body(call.position)
      if call.position == .instead { try call.proceed() }
    }
  }

  /// Calls a closure for each hook of each arrangement, with the index of the hook.
  private func forEachHook(_ body: ([HookPositions], Int) throws -> Void) rethrows {
    for arrangement in Self.arrangements {
      for index in arrangement.indices { try body(arrangement, index) }
    }
  }

  func testHooksAreInstalledAndRemovedWhileAHandlerProceedsAgainAndAgain() throws {
    let limit = 20_000_000
    let isOver = Atomic(false)
    let count = Atomic(0)
    let began = Gate()
    let original: IntBlock = { $0 + 1 }
    let block = try Block(original)
    _ = try hook(block, .before) { _ in }
    try block.hook(.instead) { call in
      began.arrive()
      while !isOver.load(ordering: .relaxed), count.load(ordering: .relaxed) < limit {
        count.add(1, ordering: .relaxed)
        try call.proceed()
      }
    }
    _ = try hook(block, .before) { _ in }
    let caller = ThreadGroup()
    caller.start { _ = try? block.call(1) as Int }
    began.awaitArrival()
    for positions: HookPositions in [.before, .instead, .after] {
      XCTAssertTrue(try hook(block, positions) { _ in }.remove())
    }
    isOver.store(true, ordering: .relaxed)
    caller.wait()
    XCTAssertLessThan(count.load(ordering: .relaxed), limit)
  }

  func testAHandlerThatIsRunningIsWaitedFor() throws {
    try forEachHook { arrangement, chosen in
      let gate = Gate()
      let isFirst = Atomic(true)
      let original: IntBlock = { $0 + 1 }
      let block = try Block(original)
      let hooks = try arrangement.enumerated().map { index, positions in
        try hook(block, positions) { _ in
          if index == chosen, isFirst.exchange(false, ordering: .relaxed) { gate.pass() }
        }
      }
      let results = Recorder<Int>()
      let caller = ThreadGroup()
      caller.start { results.record((try? block.call(1) as Int) ?? -1) }
      gate.awaitArrival()
      XCTAssertTrue(hooks[chosen].remove())
      XCTAssertFalse(gate.hasPassed.load(ordering: .sequentiallyConsistent), "\(arrangement)")
      gate.open()
      hooks[chosen].removeAndWait()
      XCTAssertTrue(
        gate.hasPassed.load(ordering: .sequentiallyConsistent), "\(arrangement), \(chosen)")
      caller.wait()
      XCTAssertEqual(results.entries, [2], "\(arrangement), \(chosen)")
    }
  }

  func testTheOriginalIsNotWaitedForButInsideOfAHandler() throws {
    try forEachHook { arrangement, chosen in
      guard !arrangement[chosen].contains(.instead) else { return }
      let gate = Gate()
      let original: IntBlock = { number in
        gate.pass()
        return number + 1
      }
      let block = try Block(original)
      let tracker = LifetimeTracker()
      var hooks = try arrangement.enumerated().map { index, positions in
        let token = index == chosen ? tracker.track() : nil
        return try hook(block, positions) { _ in withExtendedLifetime(token) {} }
      }
      let caller = ThreadGroup()
      caller.start { _ = try? block.call(1) as Int }
      gate.awaitArrival()
      // Two threads wait for objects that one hazard pointer protects: the receivers, which are
      // replaced, and the handlers.
      for index in hooks.indices where index != chosen { hooks[index].remove() }
      hooks[chosen].removeAndWait()
      hooks.removeAll()
      gate.open()
      caller.wait()
      XCTAssertEqual(tracker.alive, 0, "\(arrangement), \(chosen)")
    }
  }

  func testWhoWaitsForAHandlerDoesNotDelayTheReleaseOfWhatTheCallUsed() throws {
    try forEachHook { arrangement, chosen in
      let gate = Gate()
      let isFirst = Atomic(true)
      let original: IntBlock = { $0 + 1 }
      let block = try Block(original)
      let tracker = LifetimeTracker()
      var hooks = try arrangement.enumerated().map { index, positions in
        let token = tracker.track()
        return try hook(block, positions) { _ in
          withExtendedLifetime(token) {}
          if index == chosen, isFirst.exchange(false, ordering: .relaxed) { gate.pass() }
        }
      }
      let threads = ThreadGroup()
      threads.start { _ = try? block.call(1) as Int }
      gate.awaitArrival()
      let removed = hooks
      for index in removed.indices {
        threads.start { [hook = removed[index]] in hook.removeAndWait() }
      }
      while removed.contains(where: \.isInstalled) { sched_yield() }
      gate.open()
      threads.wait()
      hooks.removeAll()
      XCTAssertEqual(tracker.alive, 0, "\(arrangement), \(chosen)")
    }
  }
}
