import DelayedBlocks
import Dispatch
import Glibc
import Synchronization
import TestSupport
import XCTest

/// Nothing runs after `cancel()` has returned, whatever the clock's thread is doing, and calls that
/// come later run, whoever cancelled the earlier ones.
final class RateCancellingTests: XCTestCase {
  /// Makes a call whose time comes on another thread while it is cancelled on the target's queue.
  ///
  /// - Returns: How many of the runs began after a cancel that had returned.
  private func lateRuns(
    of make: (DelayTimer, DelayTarget, @escaping @Sendable (Int) -> Void) -> (
      call: (Int) -> Void, look: () -> Void, cancel: () -> Void
    )
  ) -> Int {
    let queue = DispatchQueue(label: "serial")
    let clock = ManualClock()
    let isCancelled = Atomic<Bool>(false)
    let late = Atomic<Int>(0)
    let (call, look, cancel) = make(DelayTimer(clock: clock), .queue(queue)) { _ in
      if isCancelled.load(ordering: .relaxed) { late.add(1, ordering: .relaxed) }
    }
    let rounds = shortened(10_000)
    let begun = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let threads = ThreadGroup()
    threads.start {
      for round in 1...rounds {
        while begun.load(ordering: .acquiring) != round { sched_yield() }
        clock.advance(by: .nanoseconds(10))
        ended.store(round, ordering: .releasing)
      }
    }
    for round in 1...rounds {
      isCancelled.store(false, ordering: .relaxed)
      call(round)
      queue.sync {
        begun.store(round, ordering: .releasing)
        for _ in 0..<(round % 100) { look() }
        cancel()
        isCancelled.store(true, ordering: .relaxed)
      }
      while ended.load(ordering: .acquiring) != round { sched_yield() }
      queue.sync {}
    }
    threads.wait()
    return late.load(ordering: .relaxed)
  }

  func testADebouncerThatIsCancelledOnItsQueueDoesNotRunThere() {
    let late = lateRuns { timer, target, action in
      let debouncer = Debouncer<Int>(
        delay: .nanoseconds(10), timer: timer, on: target, action)
      return ({ debouncer($0) }, { _ = debouncer.isPending }, { debouncer.cancel() })
    }
    XCTAssertEqual(late, 0)
  }

  func testAThrottlerThatIsCancelledOnItsQueueDoesNotRunThere() {
    let late = lateRuns { timer, target, action in
      let throttler = Throttler<Int>(
        interval: .nanoseconds(10), edges: .trailing, timer: timer, on: target, action)
      return ({ throttler($0) }, { _ = throttler.isPending }, { throttler.cancel() })
    }
    XCTAssertEqual(late, 0)
  }

  func testCallsRunAfterTheirTimerHasCancelledAllOfItsBlocks() {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let runs = Recorder<String>()
    let debouncer = Debouncer<LifetimeTracker.Tracked>(delay: .seconds(1), timer: manual.timer) {
      _ in runs.record("debounced")
    }
    let throttler = Throttler<LifetimeTracker.Tracked>(
      interval: .seconds(1), edges: .trailing, timer: manual.timer
    ) { _ in runs.record("throttled") }
    debouncer(tracker.track())
    throttler(tracker.track())
    XCTAssertEqual(manual.timer.cancelAll(), 2)
    XCTAssertEqual([debouncer.isPending, throttler.isPending], [false, false])
    tracker.expectNothingAlive()
    debouncer(tracker.track())
    throttler(tracker.track())
    manual.clock.advance(by: .seconds(2))
    XCTAssertEqual(runs.entries.sorted(), ["debounced", "throttled"])
  }
}
