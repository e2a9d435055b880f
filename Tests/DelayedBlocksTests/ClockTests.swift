import DelayedBlocks
import Synchronization
import TestSupport
import XCTest

final class ClockTests: XCTestCase {
  func testSleepsOfAManualClockEndWhenItIsAdvanced() async throws {
    let clock = ManualClock()
    let task = Task {
      try await clock.sleep(until: clock.now.advanced(by: .seconds(60)), tolerance: nil)
      return clock.now.nanoseconds
    }
    // The task begins to sleep at some time: the clock moves until it has.
    while clock.now.nanoseconds < 60_000_000_000 { clock.advance(by: .seconds(60)) }
    let end = try await task.value
    XCTAssertGreaterThanOrEqual(end, 60_000_000_000)
  }

  func testACancelledSleepThrows() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(until: .never, tolerance: nil) }
    task.cancel()
    let result = await task.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
  }

  func testTimersOfOneManualClockRunInTheOrderOfTheirTimes() {
    let clock = ManualClock()
    let timers = [DelayTimer(clock: clock), DelayTimer(clock: clock)]
    let runs = Recorder<Int>()
    for number in (1...10).reversed() {
      timers[number % 2].perform(after: .seconds(number)) { runs.record(number) }
    }
    clock.advance(by: .seconds(10))
    XCTAssertEqual(runs.entries, Array(1...10))
  }

  func testAdvancingWithinABlockMovesTheTimeAndTheOthersRunAfterIt() {
    let manual = ManualTimer()
    let log = Recorder<String>()
    manual.timer.perform(after: .seconds(1)) { [clock = manual.clock] in
      log.record("begin")
      clock.advance(by: .seconds(10))
      log.record("end \(clock.now.nanoseconds / 1_000_000_000)")
    }
    manual.timer.perform(after: .seconds(2)) { [clock = manual.clock] in
      log.record("late \(clock.now.nanoseconds / 1_000_000_000)")
    }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(log.entries, ["begin", "end 11", "late 11"])
    manual.clock.advance(by: .seconds(-5))
    manual.clock.advance(to: DelayTimer.Instant(nanoseconds: 0))
    XCTAssertEqual(manual.clock.now.nanoseconds, 11_000_000_000)
  }

  func testATimerLivesAsLongAsABlockIsPending() {
    weak var weakTimer: DelayTimer?
    let clock = ManualClock()
    let tracker = LifetimeTracker()
    func schedule() -> DelayedBlock {
      let timer = DelayTimer(clock: clock)
      weakTimer = timer
      return timer.perform(after: .seconds(1)) { [object = tracker.track()] in
        withExtendedLifetime(object) {}
      }
    }
    var block: DelayedBlock? = schedule()
    XCTAssertNotNil(weakTimer)
    clock.advance(by: .seconds(1))
    XCTAssertEqual(block?.state, .finished)
    block = nil
    XCTAssertNil(weakTimer)
    block = schedule()
    block = nil
    XCTAssertNotNil(weakTimer)
    clock.advance(by: .seconds(1))
    XCTAssertNil(weakTimer)
    tracker.expectNothingAlive()
  }

  func testAnyClockDrivesATimer() {
    for timer in [DelayTimer(clock: ContinuousClock()), DelayTimer(clock: SuspendingClock())] {
      let runs = Recorder<Int>()
      let start = timer.now
      let blocks = [3, 1, 2].map { number in
        timer.perform(after: .milliseconds(10 * number), on: .inline) {
          runs.record(number)
          XCTAssertGreaterThanOrEqual(
            start.duration(to: timer.now), .milliseconds(10 * number))
        }
      }
      let cancelled = timer.perform(after: .milliseconds(5)) { XCTFail("it ran") }
      XCTAssertTrue(cancelled.cancel())
      for block in blocks { XCTAssertEqual(block.wait(), .ran) }
      XCTAssertEqual(runs.entries, [1, 2, 3])
      // The task has ended; the next block starts another.
      XCTAssertEqual(timer.perform(after: .milliseconds(1)) {}.wait(), .ran)
    }
  }

  func testATimerOfAnyClockGoesWithItsLastBlock() {
    weak var weakTimer: DelayTimer?
    func schedule() -> DelayedBlock {
      let timer = DelayTimer(clock: ContinuousClock())
      weakTimer = timer
      return timer.perform(after: .seconds(3600)) { XCTFail("it ran") }
    }
    var block: DelayedBlock? = schedule()
    XCTAssertNotNil(weakTimer)
    block?.cancel()
    block = nil
    // The task may hold it for the moment in which it looks at it.
    let end = ContinuousClock.now + .seconds(20)
    while weakTimer != nil, ContinuousClock.now < end { sched_yield() }
    XCTAssertNil(weakTimer)
  }
}
