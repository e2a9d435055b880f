import CallMemoization
import DelayedBlocks
import Foundation
import TestSupport
import XCTest

final class MemoryPressureTests: XCTestCase {
  private let clock = ManualClock()

  private func path(_ name: String, _ text: String?) throws -> String {
    let path = NSTemporaryDirectory() + "\(name)-\(UUID().uuidString)"
    addTeardownBlock { try? FileManager.default.removeItem(atPath: path) }
    try text?.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  private func stalls(_ microseconds: Int) -> String {
    "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(microseconds)\n"
      + "full avg10=0.00 avg60=0.00 avg300=0.00 total=9999999\n"
  }

  private func cache(_ pressure: MemoryPressure, _ evicted: Recorder<Int>) -> MemoCache<Int, Int> {
    let cache = MemoCache<Int, Int>(
      pressure: pressure, onEviction: { key, _ in evicted.record(key) })
    for key in 0..<8 { cache[key] = key }
    return cache
  }

  func testHalfOfTheValuesGoWhenTasksWaitForMemory() throws {
    let path = try path("stalls", stalls(500))
    let pressure = MemoryPressure(stalls: path, events: nil, timer: DelayTimer(clock: clock))
    XCTAssertTrue(pressure.isMeasured)
    let evicted = Recorder<Int>()
    let cache = cache(pressure, evicted)
    func tick(_ microseconds: Int) throws {
      try stalls(microseconds).write(toFile: path, atomically: false, encoding: .utf8)
      clock.advance(by: .seconds(1))
    }
    try tick(100_499)
    XCTAssertEqual(evicted.entries, [])
    try tick(200_499)
    XCTAssertEqual(evicted.entries, [0, 1, 2, 3])
    _ = cache[4]
    try tick(200_499)
    try tick(400_000)
    XCTAssertEqual(evicted.entries, [0, 1, 2, 3, 5, 6])
    XCTAssertEqual(cache.statistics.count, 2)
  }

  func testHalfOfTheValuesGoWhenTheControlGroupIsAtItsLimit() throws {
    let path = try path("events", "low 7\nhigh 3\nmax 0\noom 0\noom_kill 0\n")
    let pressure = MemoryPressure(
      stalls: try self.path("none", nil), events: path, timer: DelayTimer(clock: clock))
    let evicted = Recorder<Int>()
    let cache = cache(pressure, evicted)
    for (text, left) in [
      ("low 9\nhigh 3\nmax 0\noom 0\noom_kill 0\n", 8), ("low 9\nhigh 3\nmax 1\noom 0\n", 4),
      ("low 9\nhigh 3\nmax 1\noom 0\n", 4), ("low 9\nhigh 4\nmax 1\noom 0\n", 2),
    ] {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      clock.advance(by: .seconds(1))
      XCTAssertEqual(cache.statistics.count, left)
    }
  }

  func testNothingIsTrimmedWhereNothingIsMeasured() throws {
    let timer = DelayTimer(clock: clock)
    let pressure = MemoryPressure(
      stalls: try path("none", nil), events: try path("none", nil), timer: timer)
    XCTAssertFalse(pressure.isMeasured)
    let cache = cache(pressure, Recorder())
    XCTAssertEqual([timer.pendingCount, cache.statistics.count], [0, 8])
  }

  func testItIsMeasuredThoughTheBlocksOfTheSharedTimerAreCancelled() throws {
    let pressure = MemoryPressure(stalls: try path("stalls", stalls(0)), events: nil)
    DelayTimer.shared.cancelAll()
    let cache = cache(pressure, Recorder())
    XCTAssertEqual([DelayTimer.shared.cancelAll(), cache.statistics.count], [0, 8])
  }

  func testTheTimerEndsWithTheLastCacheAndBeginsWithTheNext() throws {
    let timer = DelayTimer(clock: clock)
    let pressure = MemoryPressure(
      stalls: try path("stalls", stalls(0)), events: nil, timer: timer)
    for _ in 0..<2 {
      do {
        let cache = cache(pressure, Recorder())
        XCTAssertEqual(timer.pendingCount, 1)
        clock.advance(by: .seconds(1))
        XCTAssertEqual([timer.pendingCount, cache.statistics.count], [1, 8])
      }
      clock.advance(by: .seconds(1))
      XCTAssertEqual(timer.pendingCount, 0)
    }
  }
}
