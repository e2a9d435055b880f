import DelayedBlocks
import Dispatch
import Synchronization
import TestSupport
import XCTest

final class WaitingTests: XCTestCase {
  func testAnyNumberOfWaitsFromAnyThreadEndWithTheRun() {
    let manual = ManualTimer()
    let block = manual.timer.perform(after: .seconds(1)) {}
    let outcomes = Recorder<DelayedBlock.Outcome>()
    let threads = ThreadGroup()
    for _ in 0..<4 { threads.start { for _ in 0..<2 { outcomes.record(block.wait()) } } }
    manual.clock.advance(by: .seconds(1))
    threads.wait()
    XCTAssertEqual(outcomes.entries, Array(repeating: .ran, count: 8))
    XCTAssertEqual(block.wait(timeout: .zero), .ran)
  }

  func testWaitsEndAtTheCancelNotAtTheTime() {
    let block = DelayTimer.shared.perform(after: .seconds(3600)) {}
    let outcomes = Recorder<DelayedBlock.Outcome>()
    let threads = ThreadGroup()
    for _ in 0..<3 { threads.start { outcomes.record(block.wait()) } }
    XCTAssertTrue(block.cancel())
    threads.wait()
    XCTAssertEqual(outcomes.entries, [.cancelled, .cancelled, .cancelled])
  }

  func testAWaitThatTimesOutMayBeFollowedByOthers() {
    let manual = ManualTimer()
    let block = manual.timer.perform(after: .seconds(1)) {}
    for timeout in [Duration.zero, .seconds(-1), .milliseconds(1), .nanoseconds(1)] {
      XCTAssertEqual(block.wait(timeout: timeout), .timedOut)
    }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(block.wait(timeout: .milliseconds(1)), .ran)
    XCTAssertEqual(block.wait(timeout: Duration(attoseconds: .max)), .ran)
  }

  func testABlockThatWaitsForItselfOrForOthersOfItsThreadDoesNotHang() {
    let manual = ManualTimer()
    let token = Mutex<DelayedBlock?>(nil)
    let outcomes = Recorder<DelayedBlock.Outcome?>()
    let later = manual.timer.perform(after: .seconds(2)) {}
    let block = manual.timer.perform(after: .seconds(1)) {
      outcomes.record(token.withLock { $0 }?.wait())
      outcomes.record(later.wait())
    }
    token.withLock { $0 = block }
    manual.clock.advance(by: .seconds(3))
    XCTAssertEqual(outcomes.entries, [.timedOut, .timedOut])
    token.withLock { $0 = nil }

    let queued = DelayTimer.shared.perform(after: .milliseconds(1)) {
      outcomes.record(token.withLock { $0 }?.cancelAndWait() == false ? .timedOut : nil)
    }
    token.withLock { $0 = queued }
    XCTAssertEqual(queued.wait(), .ran)
    token.withLock { $0 = nil }
  }

  func testABlockOfTheTimersThreadWaitsForOneThatIsRunningElsewhere() {
    let isInside = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let running = DelayTimer.shared.perform(after: .zero) {
      isInside.signal()
      mayEnd.wait()
    }
    isInside.wait()
    let outcome = Mutex<DelayedBlock.Outcome?>(nil)
    let waiting = DelayTimer.shared.perform(after: .zero, on: .inline) {
      mayEnd.signal()
      let answer = running.wait()
      outcome.withLock { $0 = answer }
    }
    XCTAssertEqual(waiting.wait(), .ran)
    XCTAssertEqual(outcome.withLock { $0 }, .ran)
  }

  func testHandlersAreToldOnceInOrderAndAtOnceWhenItIsOver() {
    let manual = ManualTimer()
    let log = Recorder<String>()
    let block = manual.timer.perform(after: .seconds(1)) { log.record("run") }
    for number in 0..<3 { block.whenEnded { log.record("\(number) \($0)") } }
    manual.clock.advance(by: .seconds(1))
    block.whenEnded { log.record("late \($0)") }
    XCTAssertEqual(log.entries, ["run", "0 ran", "1 ran", "2 ran", "late ran"])

    let other = manual.timer.perform(after: .seconds(1)) {}
    other.whenEnded { log.record("other \($0)") }
    other.cancel()
    XCTAssertEqual(log.entries.last, "other cancelled")
  }

  func testHandlersAreFreedAfterTheEndAndAfterATimeout() {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let block = manual.timer.perform(after: .seconds(1)) {}
    block.whenEnded { [object = tracker.track()] _ in withExtendedLifetime(object) {} }
    XCTAssertEqual(block.wait(timeout: .milliseconds(1)), .timedOut)
    XCTAssertEqual(tracker.alive, 1)
    block.cancel()
    tracker.expectNothingAlive()
  }

  func testTheClosureIsFreedBeforeTheEndIsTold() throws {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let timer = manual.timer
    let ends: [(DelayedBlock) -> Void] = [
      { _ in manual.clock.advance(by: .seconds(1)) }, { $0.runNow() }, { $0.cancel() },
    ]
    let makes: [(LifetimeTracker.Tracked) throws -> DelayedBlock] = [
      { object in timer.perform(after: .seconds(1)) { withExtendedLifetime(object) {} } },
      { object in timer.perform(after: .seconds(1)) { withExtendedLifetime(object) { 1 } } },
      { object in timer.perform(after: .seconds(1), for: manual.clock) { [object] _ in _ = object }
      },
      { object in
        try timer.repeat(every: .seconds(1)) { tick in
          withExtendedLifetime(object) { _ = tick.cancel() }
        }
      },
    ]
    for (kind, make) in makes.enumerated() {
      for (way, end) in ends.enumerated() {
        let alive = Recorder<Int>()
        let block = try make(tracker.track())
        block.whenEnded { _ in alive.record(tracker.alive) }
        end(block)
        XCTAssertEqual(alive.entries, [0], "block \(kind), end \(way)")
      }
    }
  }

  func testAHandlerMayUseTheBlockAndTheTimer() {
    let manual = ManualTimer()
    let log = Recorder<String>()
    let block = manual.timer.perform(after: .seconds(1)) {}
    block.whenEnded { [timer = manual.timer, weak block] outcome in
      log.record("\(outcome) \(block?.cancel() ?? true) \(block?.wait() ?? .timedOut)")
      timer.perform(after: .zero) { log.record("next") }
    }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(log.entries, ["ran false ran", "next"])
  }

  func testAValueIsAwaitedAsOftenAsOneLikes() async throws {
    let manual = ManualTimer()
    let block = manual.timer.perform(after: .seconds(1)) { 42 }
    XCTAssertNil(block.resultIfFinished)
    async let first = block.value
    manual.clock.advance(by: .seconds(1))
    let value = try await first
    XCTAssertEqual(value, 42)
    let again = try await block.value
    XCTAssertEqual(again, 42)
    let end = await block.end
    XCTAssertEqual(end, .ran)
  }

  func testAThrownErrorAndACancellationReachWhoAwaits() async {
    struct Failure: Error {}
    let manual = ManualTimer()
    let failing = manual.timer.perform(after: .seconds(1)) { () throws -> Int in throw Failure() }
    manual.clock.advance(by: .seconds(1))
    do {
      _ = try await failing.value
      XCTFail("nothing was thrown")
    } catch { XCTAssertTrue(error is Failure) }

    let cancelled = manual.timer.perform(after: .seconds(1)) { 1 }
    cancelled.cancel()
    do {
      _ = try await cancelled.value
      XCTFail("nothing was thrown")
    } catch { XCTAssertTrue(error is CancellationError) }
  }

  func testACancelledTaskCancelsTheBlockThatItAwaits() async {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let block = manual.timer.perform(after: .seconds(1)) { [object = tracker.track()] in
      withExtendedLifetime(object) { 1 }
    }
    let task = Task { try await block.value }
    task.cancel()
    let result = await task.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    XCTAssertEqual(block.state, .cancelled)
    tracker.expectNothingAlive()
  }
}
