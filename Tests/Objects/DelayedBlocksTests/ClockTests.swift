import DelayedBlocks
import Synchronization
import TestSupport
import XCTest

final class ClockTests: XCTestCase {
  func testSleepsOfAManualClockEndWhenItIsAdvanced() async throws {
    let clock = ManualClock()
    let deadline = clock.now.advanced(by: .seconds(60))
    let isAwake = Atomic(false)
    let task = Task {
      try await clock.sleep(until: deadline, tolerance: nil)
      isAwake.store(true, ordering: .releasing)
      return clock.now
    }
    XCTAssertFalse(isAwake.load(ordering: .acquiring))
    // Whether the task sleeps already or not: then the time is there when it comes.
    clock.advance(by: .seconds(60))
    let end = try await task.value
    XCTAssertEqual(end, deadline)
  }

  func testASleepThatIsUnderWayEndsWithinTheAdvance() async throws {
    let clock = ManualClock()
    let sleeps = (1...20).map { number in
      Task { try await clock.sleep(until: DelayTimer.Instant(nanoseconds: UInt64(number))) }
    }
    for _ in 0..<20 {
      clock.advance(by: .nanoseconds(1))
      await Task.yield()
    }
    for sleep in sleeps { try await sleep.value }
    XCTAssertEqual(clock.sleeperCount, 0)
  }

  func testAManualClockIsKnownBehindAnyClock() {
    func timer(_ clock: some Clock<Duration>) -> DelayTimer { DelayTimer(clock: clock) }
    let clock = ManualClock()
    let block = timer(clock).perform(after: .seconds(1)) {}
    clock.advance(by: .seconds(1))
    XCTAssertEqual(block.state, .finished)
  }

  func testSleepersAreCountedAndWakeUpInOrder() async throws {
    let clock = ManualClock()
    let wakes = Recorder<Int>()
    let sleeps = [3, 1, 2].map { number in
      Task {
        try await clock.sleep(until: DelayTimer.Instant(nanoseconds: UInt64(number)))
        wakes.record(number)
      }
    }
    while clock.sleeperCount < 3 { await Task.yield() }
    for count in (0..<3).reversed() {
      clock.advance(by: .nanoseconds(1))
      XCTAssertEqual(clock.sleeperCount, count)
      while wakes.entries.count < 3 - count { await Task.yield() }
    }
    for sleep in sleeps { try await sleep.value }
    XCTAssertEqual(wakes.entries, [1, 2, 3])
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

  func testTimersOfOneManualClockKeepTheOrderWhenABlockTakesLong() {
    let clock = ManualClock()
    let timers = [DelayTimer(clock: clock), DelayTimer(clock: clock)]
    let runs = Recorder<String>()
    timers[0].perform(after: .seconds(1)) {
      runs.record("a1")
      clock.advance(by: .seconds(5))
      XCTAssertEqual(timers[1].perform(after: .zero) {}.wait(), .timedOut)
    }
    timers[1].perform(after: .seconds(2)) { runs.record("b2") }
    timers[0].perform(after: .seconds(3)) { runs.record("a3") }
    clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, ["a1", "b2", "a3"])
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

  func testAClockThatFailsToSleepIsAskedAgain() {
    struct Failing: Clock {
      typealias Instant = ContinuousClock.Instant

      struct Failure: Error {}

      let failures = Recorder<Int>()

      var now: Instant { .now }
      var minimumResolution: Duration { .nanoseconds(1) }

      func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        failures.record(1)
        // One that returns too early is no better.
        if failures.entries.count.isMultiple(of: 2) { throw Failure() }
      }
    }
    let clock = Failing()
    let block = DelayTimer(clock: clock).perform(after: .milliseconds(20)) {}
    XCTAssertEqual(block.wait(), .ran)
    XCTAssertLessThan(clock.failures.entries.count, 200)
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
