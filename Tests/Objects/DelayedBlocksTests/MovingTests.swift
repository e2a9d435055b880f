import DelayedBlocks
import Dispatch
import Synchronization
import TestSupport
import XCTest

final class MovingTests: XCTestCase {
  func testABlockIsMovedBackAndForth() {
    let manual = ManualTimer()
    let runs = Recorder<UInt64>()
    let block = manual.timer.perform(after: .seconds(10)) { [clock = manual.clock] in
      runs.record(clock.now.nanoseconds)
    }
    XCTAssertTrue(block.reschedule(after: .seconds(20)))
    manual.clock.advance(by: .seconds(15))
    XCTAssertEqual(runs.entries, [])
    XCTAssertTrue(block.reschedule(at: DelayTimer.Instant(nanoseconds: 16_000_000_000)))
    XCTAssertEqual(block.instant.nanoseconds, 16_000_000_000)
    manual.clock.advance(by: .seconds(15))
    XCTAssertEqual(runs.entries, [16_000_000_000])
    XCTAssertFalse(block.reschedule(after: .seconds(1)))
  }

  func testAMovedBlockRunsAfterThoseOfTheSameTime() {
    let manual = ManualTimer()
    let runs = Recorder<String>()
    let moved = manual.timer.perform(after: .seconds(1)) { runs.record("moved") }
    manual.timer.perform(after: .seconds(1)) { runs.record("other") }
    moved.reschedule(after: .seconds(1))
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, ["other", "moved"])
  }

  func testABlockThatWasSentToAQueueIsMovedUntilItBegins() {
    let queue = DispatchQueue(label: "busy")
    let manual = ManualTimer(target: .queue(queue))
    let runs = Recorder<UInt64>()
    queue.suspend()
    let block = manual.timer.perform(after: .seconds(1)) { [clock = manual.clock] in
      runs.record(clock.now.nanoseconds)
    }
    manual.clock.advance(by: .seconds(1))
    XCTAssertTrue(block.reschedule(after: .seconds(1)))
    queue.resume()
    queue.sync {}
    XCTAssertEqual(runs.entries, [])
    manual.clock.advance(by: .seconds(1))
    queue.sync {}
    XCTAssertEqual(runs.entries, [2_000_000_000])
  }

  func testABlockIsNeitherMovedNorRunOnceItIsCancelledOrRunning() {
    let manual = ManualTimer()
    let cancelled = manual.timer.perform(after: .seconds(1)) { XCTFail("it ran") }
    cancelled.cancel()
    XCTAssertFalse(cancelled.reschedule(after: .seconds(1)))
    XCTAssertFalse(cancelled.runNow())

    let token = Mutex<DelayedBlock?>(nil)
    let answers = Recorder<Bool?>()
    let block = manual.timer.perform(after: .seconds(1)) {
      answers.record(token.withLock { $0 }?.reschedule(after: .seconds(1)))
      answers.record(token.withLock { $0 }?.runNow())
    }
    token.withLock { $0 = block }
    manual.clock.advance(by: .seconds(5))
    XCTAssertEqual(answers.entries, [false, false])
    XCTAssertEqual(manual.timer.pendingCount, 0)
    token.withLock { $0 = nil }
  }

  func testRunNowRunsOnceOnTheCallingThreadAndFreesTheClosure() {
    let manual = ManualTimer(target: .concurrent)
    let tracker = LifetimeTracker()
    let runs = Recorder<Bool>()
    let caller = pthread_self()
    let block = manual.timer.perform(after: .seconds(1)) { [object = tracker.track()] in
      withExtendedLifetime(object) {}
      runs.record(pthread_equal(caller, pthread_self()) != 0)
    }
    XCTAssertTrue(block.runNow())
    tracker.expectNothingAlive()
    XCTAssertFalse(block.runNow())
    XCTAssertFalse(block.cancel())
    manual.clock.advance(by: .seconds(5))
    XCTAssertEqual(runs.entries, [true])
    XCTAssertEqual(block.wait(), .ran)
  }
}
