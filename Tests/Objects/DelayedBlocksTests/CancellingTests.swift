import DelayedBlocks
import Dispatch
import Synchronization
import TestSupport
import XCTest

final class CancellingTests: XCTestCase {
  /// BlocksKit's `testCancelPerformBlock`: with a later block that shows that the time has come.
  func testACancelledBlockNeverRuns() {
    let queue = DispatchQueue(label: "serial")
    let runs = Recorder<String>()
    let cancelled = DelayTimer.shared.perform(after: .milliseconds(20), on: .queue(queue)) {
      runs.record("cancelled")
    }
    let control = DelayTimer.shared.perform(after: .milliseconds(40), on: .queue(queue)) {
      runs.record("control")
    }
    XCTAssertTrue(cancelled.cancel())
    XCTAssertEqual(control.wait(), .ran)
    XCTAssertEqual(runs.entries, ["control"])
    XCTAssertEqual(cancelled.state, .cancelled)
  }

  func testCancelFreesTheClosureBeforeItReturnsAlsoOfTheBlockThatWasNext() {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let object = tracker.track
    let blocks = (0..<3).map { number in
      let captured = object()
      return manual.timer.perform(after: .seconds(3600 + number)) {
        withExtendedLifetime(captured) {}
      }
    }
    for (count, block) in blocks.enumerated() {
      XCTAssertEqual(tracker.alive, 3 - count)
      XCTAssertTrue(block.cancel())
    }
    tracker.expectNothingAlive()
    XCTAssertEqual(manual.timer.pendingCount, 0)
  }

  func testOnTheRealTimerCancelFreesTheClosureAtOnceToo() {
    let tracker = LifetimeTracker()
    let captured = Mutex<LifetimeTracker.Tracked?>(tracker.track())
    let block = captured.withLock { value in
      let object = value
      value = nil
      return DelayTimer.shared.perform(after: .seconds(3600)) { withExtendedLifetime(object) {} }
    }
    XCTAssertEqual(tracker.alive, 1)
    XCTAssertTrue(block.cancel())
    tracker.expectNothingAlive()
  }

  func testTheClosureIsFreedWhenItHasRunThoughTheTokenIsKept() {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let block = manual.timer.perform(after: .seconds(1)) { [object = tracker.track()] in
      withExtendedLifetime(object) {}
    }
    XCTAssertEqual(tracker.alive, 1)
    manual.clock.advance(by: .seconds(1))
    tracker.expectNothingAlive()
    XCTAssertEqual(block.state, .finished)
  }

  func testDroppingTheTokenCancelsNothingAndAScopedOneCancels() {
    let manual = ManualTimer()
    let runs = Recorder<String>()
    _ = manual.timer.perform(after: .seconds(1)) { runs.record("dropped") }
    do {
      let scoped = manual.timer.perform(after: .seconds(1)) { runs.record("scoped") }.scoped()
      XCTAssertEqual(scoped.token.state, .pending)
    }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, ["dropped"])
  }

  func testCancellingTwiceOrAfterTheRunSaysThatItPreventedNothing() {
    let manual = ManualTimer()
    let block = manual.timer.perform(after: .seconds(1)) { XCTFail("it ran") }
    XCTAssertTrue(block.cancel())
    XCTAssertFalse(block.cancel())
    let other = manual.timer.perform(after: .seconds(1)) {}
    manual.clock.advance(by: .seconds(1))
    XCTAssertFalse(other.cancel())
    XCTAssertEqual(other.state, .finished)
    XCTAssertEqual(other.wait(), .ran)
  }

  func testCancellingWithinTheBlockPreventsNothing() {
    let manual = ManualTimer()
    let token = Mutex<DelayedBlock?>(nil)
    let answers = Recorder<String>()
    let block = manual.timer.perform(after: .seconds(1)) {
      let block = token.withLock { $0 }
      answers.record("\(String(describing: block?.state)) \(String(describing: block?.cancel()))")
    }
    token.withLock { $0 = block }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(
      answers.entries, ["Optional(DelayedBlocks.DelayedBlock.State.running) Optional(false)"])
    XCTAssertEqual(block.state, .finished)
    token.withLock { $0 = nil }
  }

  func testABlockThatWasSentToAQueueIsCancelledUntilItBegins() {
    let queue = DispatchQueue(label: "busy")
    let manual = ManualTimer(target: .queue(queue))
    let tracker = LifetimeTracker()
    queue.suspend()
    let block = manual.timer.perform(after: .seconds(1)) { [object = tracker.track()] in
      withExtendedLifetime(object) {}
      XCTFail("it ran")
    }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(block.state, .pending)
    XCTAssertTrue(block.cancel())
    tracker.expectNothingAlive()
    queue.resume()
    queue.sync {}
    XCTAssertEqual(block.state, .cancelled)
  }

  func testOfTwoThreadsThatCancelOnePreventsTheRun() {
    let manual = ManualTimer()
    for _ in 0..<300 {
      let block = manual.timer.perform(after: .seconds(1)) { XCTFail("it ran") }
      let wins = Atomic<Int>(0)
      let threads = ThreadGroup()
      for _ in 0..<2 {
        threads.start { if block.cancel() { wins.add(1, ordering: .relaxed) } }
      }
      threads.wait()
      XCTAssertEqual(wins.load(ordering: .relaxed), 1)
    }
  }

  func testCancelAndRunAtTheSameMomentGiveExactlyOneOfBoth() {
    for _ in 0..<300 {
      let runs = Atomic<Int>(0)
      let block = DelayTimer.shared.perform(after: .microseconds(50), on: .inline) {
        runs.add(1, ordering: .relaxed)
      }
      let prevented = block.cancel()
      XCTAssertEqual(block.wait(), prevented ? .cancelled : .ran)
      XCTAssertEqual(runs.load(ordering: .relaxed), prevented ? 0 : 1)
    }
  }

  func testWhatTheClosureCapturesMayCancelAndScheduleWhenItIsFreed() {
    let manual = ManualTimer()
    let other = manual.timer.perform(after: .seconds(5)) { XCTFail("it ran") }
    let runs = Recorder<String>()
    func makeBlock(_ finaliser: Finaliser) -> DelayedBlock {
      manual.timer.perform(after: .seconds(2)) { withExtendedLifetime(finaliser) {} }
    }
    let block = makeBlock(
      Finaliser { [timer = manual.timer] in
        other.cancel()
        timer.perform(after: .seconds(1)) { runs.record("scheduled by a deinit") }
      })
    XCTAssertTrue(block.cancel())
    manual.clock.advance(by: .seconds(10))
    XCTAssertEqual(runs.entries, ["scheduled by a deinit"])
  }

  func testATimerCancelsAllThatIsPending() throws {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    for number in 0..<100 {
      manual.timer.perform(after: .nanoseconds(1 << UInt64(number % 60))) {
        [object = tracker.track()] in withExtendedLifetime(object) { XCTFail("it ran") }
      }
    }
    try manual.timer.repeat(every: .seconds(1)) { _ in XCTFail("it ran") }
    XCTAssertEqual(manual.timer.cancelAll(), 101)
    XCTAssertEqual(manual.timer.cancelAll(), 0)
    tracker.expectNothingAlive()
    XCTAssertEqual(manual.timer.pendingCount, 0)
  }

  func testCancelAndWaitWaitsForARunThatIsUnderWay() {
    let isInside = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let ended = Atomic<Bool>(false)
    let block = DelayTimer.shared.perform(after: .zero) {
      isInside.signal()
      mayEnd.wait()
      ended.store(true, ordering: .releasing)
    }
    isInside.wait()
    XCTAssertEqual(block.state, .running)
    XCTAssertFalse(block.cancel())
    let threads = ThreadGroup()
    threads.start {
      XCTAssertFalse(block.cancelAndWait())
      XCTAssertTrue(ended.load(ordering: .acquiring))
    }
    mayEnd.signal()
    threads.wait()
  }
}
