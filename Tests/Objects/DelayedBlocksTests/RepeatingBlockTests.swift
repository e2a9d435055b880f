import DelayedBlocks
import Synchronization
import TestSupport
import XCTest

final class RepeatingBlockTests: XCTestCase {
  /// What a run was told, and when it began.
  private struct Run: Equatable, CustomStringConvertible {
    let number: Int
    let missed: Int
    /// In milliseconds.
    let due: Int
    let begin: Int

    var description: String { "#\(number) -\(missed) due \(due) at \(begin)" }
  }

  /// Ticks every 100 ms, of which those with these numbers of runs take so many milliseconds.
  private func runs(
    _ policy: RepeatingBlock.Policy, long: [Int: Int], until end: Int
  ) throws -> [Run] {
    let manual = ManualTimer()
    let runs = Recorder<Run>()
    let block = try manual.timer.repeat(every: .milliseconds(100), policy: policy) {
      [clock = manual.clock] tick in
      let index = runs.entries.count
      runs.record(
        Run(
          number: tick.number, missed: tick.missedCount,
          due: Int(tick.instant.nanoseconds / 1_000_000),
          begin: Int(clock.now.nanoseconds / 1_000_000)))
      if let duration = long[index] { clock.advance(by: .milliseconds(duration)) }
    }
    manual.clock.advance(by: .milliseconds(end))
    block.cancel()
    return runs.entries
  }

  func testEachPolicyDoesWithMissedTicksWhatItSays() throws {
    func run(_ number: Int, _ missed: Int, _ due: Int, _ begin: Int) -> Run {
      Run(number: number, missed: missed, due: due, begin: begin)
    }
    // The second run takes 250 ms: ticks 2 and 3 pass meanwhile.
    let long = [1: 250]
    XCTAssertEqual(
      try runs(.skip, long: long, until: 600),
      [run(0, 0, 100, 100), run(1, 0, 200, 200), run(4, 2, 500, 500), run(5, 0, 600, 600)])
    XCTAssertEqual(
      try runs(.catchUp, long: long, until: 600),
      [
        run(0, 0, 100, 100), run(1, 0, 200, 200), run(2, 0, 300, 450), run(3, 0, 400, 450),
        run(4, 0, 500, 500), run(5, 0, 600, 600),
      ])
    XCTAssertEqual(
      try runs(.coalesce, long: long, until: 600),
      [
        run(0, 0, 100, 100), run(1, 0, 200, 200), run(3, 1, 400, 450), run(4, 0, 500, 500),
        run(5, 0, 600, 600),
      ])
    XCTAssertEqual(
      try runs(.delay, long: long, until: 700),
      [run(0, 0, 100, 100), run(1, 0, 200, 200), run(2, 0, 550, 550), run(3, 0, 650, 650)])
  }

  /// BlocksKit's timer test: five runs.
  func testNothingDriftsInAHundredThousandTicks() throws {
    let manual = ManualTimer()
    let count = Atomic(0)
    let last = Atomic<UInt64>(0)
    let block = try manual.timer.repeat(
      every: .microseconds(7), after: .zero, tolerance: .microseconds(3)
    ) { tick in
      count.add(1, ordering: .relaxed)
      last.store(tick.instant.nanoseconds, ordering: .relaxed)
    }
    manual.clock.advance(by: .microseconds(7 * 99_999 + 3))
    XCTAssertEqual(count.load(ordering: .relaxed), 100_000)
    XCTAssertEqual(last.load(ordering: .relaxed), 7_000 * 99_999)
    block.cancel()
  }

  func testCancellingWithinTheBodyEndsItWithThatRunAndFreesTheClosure() throws {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let answers = Recorder<String>()
    let block = try manual.timer.repeat(every: .seconds(1)) { [object = tracker.track()] tick in
      withExtendedLifetime(object) {}
      guard tick.number == 2 else { return }
      answers.record("\(tick.cancel()) \(tick.cancel()) \(tick.block.state)")
      XCTAssertEqual(tracker.alive, 1)
    }
    manual.clock.advance(by: .seconds(10))
    XCTAssertEqual(answers.entries, ["true false running"])
    XCTAssertEqual(block.state, .cancelled)
    XCTAssertEqual(block.wait(), .cancelled)
    XCTAssertFalse(block.cancel())
    tracker.expectNothingAlive()
    XCTAssertEqual(manual.timer.pendingCount, 0)
  }

  func testCancellingBetweenRunsFreesTheClosureAtOnceAndTellsTheWaiters() throws {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let ends = Recorder<DelayedBlock.Outcome>()
    let block = try manual.timer.repeat(every: .seconds(1)) { [object = tracker.track()] _ in
      withExtendedLifetime(object) {}
    }
    block.whenEnded { ends.record($0) }
    manual.clock.advance(by: .seconds(3))
    XCTAssertEqual(ends.entries, [])
    XCTAssertTrue(block.cancel())
    XCTAssertEqual(ends.entries, [.cancelled])
    tracker.expectNothingAlive()
  }

  func testARunOnAnotherThreadIsWaitedFor() throws {
    let isInside = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let tracker = LifetimeTracker()
    let block = try DelayTimer.shared.repeat(every: .milliseconds(1)) {
      [object = tracker.track()] _ in
      isInside.signal()
      mayEnd.wait()
      withExtendedLifetime(object) {}
    }
    isInside.wait()
    XCTAssertTrue(block.cancel())
    XCTAssertEqual(block.state, .running)
    XCTAssertEqual(tracker.alive, 1)
    mayEnd.signal()
    XCTAssertEqual(block.wait(), .cancelled)
    tracker.expectNothingAlive()
  }

  func testRunsNeverOverlapOnAConcurrentTarget() throws {
    let inside = Atomic(0)
    let count = Atomic(0)
    let block = try DelayTimer.shared.repeat(every: .nanoseconds(1), policy: .catchUp) { tick in
      XCTAssertEqual(inside.add(1, ordering: .relaxed).newValue, 1)
      if count.add(1, ordering: .relaxed).newValue == 500 { tick.cancel() }
      inside.subtract(1, ordering: .relaxed)
    }
    XCTAssertEqual(block.wait(), .cancelled)
    XCTAssertEqual(count.load(ordering: .relaxed), 500)
  }

  func testMovingGoesOnFromThereAndRunNowServesTheNextTick() throws {
    let manual = ManualTimer()
    let runs = Recorder<String>()
    let block = try manual.timer.repeat(every: .seconds(10)) { [clock = manual.clock] tick in
      runs.record("\(tick.number) \(clock.now.nanoseconds / 1_000_000_000)")
    }
    manual.clock.advance(by: .seconds(10))
    XCTAssertTrue(block.reschedule(after: .seconds(3)))
    manual.clock.advance(by: .seconds(13))
    XCTAssertTrue(block.runNow())
    manual.clock.advance(by: .seconds(20))
    XCTAssertEqual(runs.entries, ["0 10", "1 13", "2 23", "3 23", "4 43"])
    block.cancel()
  }

  func testAnIntervalThatWouldRepeatWithoutEndIsRefused() {
    for interval in [Duration.zero, .seconds(-1), Duration(attoseconds: 1)] {
      expectError(.invalidInterval) { _ = try DelayTimer.shared.repeat(every: interval) { _ in } }
    }
  }

  func testAClockThatJumpsToTheEndOfTimeEndsNothingAndTrapsNowhere() throws {
    for policy in [RepeatingBlock.Policy.skip, .catchUp, .coalesce, .delay] {
      for interval in [Duration.nanoseconds(1), .seconds(Int64.max)] {
        let manual = ManualTimer()
        let count = Atomic(0)
        let block = try manual.timer.repeat(every: interval, after: .zero, policy: policy) {
          [clock = manual.clock] tick in
          clock.advance(to: .never)
          if count.add(1, ordering: .relaxed).newValue == 100 { tick.cancel() }
        }
        manual.clock.advance(by: .zero)
        XCTAssertGreaterThan(count.load(ordering: .relaxed), 0)
        block.cancel()
      }
    }
  }

  func testWhatTheClosureCapturesMayWaitForTheBlockWhenItIsFreed() throws {
    let manual = ManualTimer()
    let holder = Mutex<DelayedBlock?>(nil)
    let outcomes = Recorder<DelayedBlock.Outcome>()
    func begin() throws {
      let finaliser = Finaliser {
        guard let block = holder.withLock({ $0 }) else { return }
        block.cancelAndWait()
        outcomes.record(block.wait())
      }
      let block = try manual.timer.repeat(every: .seconds(1)) { tick in
        withExtendedLifetime(finaliser) { _ = tick.cancel() }
      }
      holder.withLock { $0 = block }
    }
    try begin()
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(outcomes.entries, [.timedOut])
    XCTAssertEqual(holder.withLock { $0 }?.state, .cancelled)
    holder.withLock { $0 = nil }
  }

  func testToleranceLosesNoTicks() throws {
    let manual = ManualTimer()
    let numbers = Recorder<Int>()
    let block = try manual.timer.repeat(every: .seconds(1), tolerance: .seconds(10)) {
      numbers.record($0.number)
      XCTAssertLessThanOrEqual($0.lateness, .seconds(1))
    }
    manual.clock.advance(by: .seconds(20))
    XCTAssertGreaterThanOrEqual(numbers.entries.count, 10)
    block.cancel()
  }

  func testAToleranceOfTheWholeIntervalSkipsNoTick() throws {
    let manual = ManualTimer()
    let numbers = Recorder<Int>()
    // Rounded up as far as it goes, each run would be at the time of the next tick.
    let block = try manual.timer.repeat(every: .nanoseconds(64), tolerance: .nanoseconds(64)) {
      numbers.record($0.number)
    }
    manual.clock.advance(by: .nanoseconds(64 * 5))
    XCTAssertEqual(numbers.entries, [0, 1, 2, 3, 4])
    block.cancel()
  }

  func testTheLongestIntervalsStayPending() throws {
    let manual = ManualTimer()
    for policy in [RepeatingBlock.Policy.skip, .catchUp, .coalesce, .delay] {
      let block = try manual.timer.repeat(
        every: Duration(attoseconds: .max), after: .zero, policy: policy
      ) { _ in }
      manual.clock.advance(by: .seconds(1))
      XCTAssertEqual(block.state, .pending)
      XCTAssertTrue(block.cancel())
    }
  }
}
