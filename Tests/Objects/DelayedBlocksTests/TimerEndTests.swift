import DelayedBlocks
import XCTest

/// What a timer that is dropped leaves behind: nothing.
final class TimerEndTests: XCTestCase {
  /// A clock that is told by nothing that it is a manual one.
  private struct AnyClock: Clock {
    let clock: ManualClock

    var now: DelayTimer.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: DelayTimer.Instant, tolerance: Duration?) async throws {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }

  /// Lets other tasks run until as many sleep as expected; not for ever.
  private func expect(sleepers: Int, of clock: ManualClock) async {
    for _ in 0..<1_000_000 where clock.sleeperCount != sleepers { await Task.yield() }
    XCTAssertEqual(clock.sleeperCount, sleepers)
  }

  func testTheTaskOfATimerThatIsDroppedDoesNotSleepOn() async {
    let clock = ManualClock()
    for _ in 0..<3 {
      // A token keeps its timer.
      do {
        let timer = DelayTimer(clock: AnyClock(clock: clock))
        let block = timer.perform(after: .seconds(3600)) { XCTFail("it ran") }
        await expect(sleepers: 1, of: clock)
        XCTAssertTrue(block.cancel())
      }
      await expect(sleepers: 0, of: clock)
    }
  }
}
