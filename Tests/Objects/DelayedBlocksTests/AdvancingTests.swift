import DelayedBlocks
import Glibc
import Synchronization
import TestSupport
import XCTest

/// A clock that several threads advance.
final class AdvancingTests: XCTestCase {
  func testWhatIsScheduledBeforeAnAdvanceRunsThoughAnotherThreadIsAdvancing() {
    let clock = ManualClock()
    // Each is asked for its next block, which takes its time.
    let timers = (0..<500).map { _ in DelayTimer(clock: clock) }
    let rounds = 1000
    let begun = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let runs = Atomic<Int>(0)
    let threads = ThreadGroup()
    threads.start {
      for round in 1...rounds {
        while begun.load(ordering: .acquiring) != round { sched_yield() }
        clock.advance(by: .nanoseconds(1))
        ended.store(round, ordering: .releasing)
      }
    }
    for round in 1...rounds {
      begun.store(round, ordering: .releasing)
      for _ in 0..<round { _ = clock.sleeperCount }
      _ = timers[0].perform(after: .nanoseconds(50)) { runs.add(1, ordering: .relaxed) }
      clock.advance(by: .nanoseconds(100))
      while ended.load(ordering: .acquiring) != round { sched_yield() }
      XCTAssertEqual(runs.load(ordering: .relaxed), round)
      if timers[0].cancelAll() > 0 { runs.store(round, ordering: .relaxed) }
    }
    threads.wait()
    withExtendedLifetime(timers) {}
  }
}
