import BlockRuntime
import Dispatch
import TestSupport
import XCTest

/// Whether cancelling what is to run in an hour frees what it captured now, or in an hour.
final class CancelledBlockTests: XCTestCase {
  private let tracker = LifetimeTracker()

  /// libdispatch: `cancel()` is a flag, which is looked at when the time has come.
  func testACancelledWorkItemKeepsWhatItCaptured() {
    let queue = DispatchQueue(label: "later")
    var item: DispatchWorkItem?
    do {
      let tracked = tracker.track()
      item = DispatchWorkItem { withExtendedLifetime(tracked) {} }
    }
    if let item { queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item) }
    item?.cancel()
    XCTAssertEqual(item?.isCancelled, true)
    item = nil
    // Nobody here refers to the item or its closure. The queue does, for another hour.
    queue.sync {}
    XCTAssertEqual(tracker.alive, 1)
  }

  /// A delayed block: `cancel()` is the end of it.
  func testACancelledDelayedBlockFreesWhatItCaptured() {
    let timer = DelayTimer(clock: ManualClock(), on: .inline)
    let block: DelayedBlock
    do {
      let tracked = tracker.track()
      block = timer.perform(after: .seconds(3600)) { withExtendedLifetime(tracked) {} }
    }
    XCTAssertEqual(tracker.alive, 1)
    XCTAssertTrue(block.cancel())
    // At once, though the token is still here.
    tracker.expectNothingAlive()
    XCTAssertEqual(timer.pendingCount, 0)

    // Who waits for it is not kept for an hour either, and once more is no mistake.
    XCTAssertEqual(block.wait(), .cancelled)
    XCTAssertFalse(block.cancel())
    XCTAssertEqual(block.state, .cancelled)
  }

  /// `cancel()` says whether it came in time; a flag cannot know.
  func testCancellingSaysWhetherItPreventedTheRun() {
    let clock = ManualClock()
    let timer = DelayTimer(clock: clock, on: .inline)
    let runs = Recorder<Int>()
    let first = timer.perform(after: .seconds(1)) { runs.record(1) }
    let second = timer.perform(after: .seconds(2)) { runs.record(2) }
    clock.advance(by: .seconds(1))
    XCTAssertFalse(first.cancel())
    XCTAssertTrue(second.cancel())
    clock.advance(by: .seconds(10))
    XCTAssertEqual(runs.entries, [1])
  }
}
