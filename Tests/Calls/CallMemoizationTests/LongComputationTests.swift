import CFixtures
import CallMemoization
import DelayedBlocks
import Dispatch
import Glibc
import Synchronization
import TestSupport
import XCTest

/// Computations during which much else happens.
final class LongComputationTests: XCTestCase {
  func testWhatIsComputedIsStoredHoweverManyOtherValuesExpireMeanwhile() {
    let clock = ManualClock()
    let cache = MemoCache<Int, Int>(
      limits: MemoLimits(count: nil, age: .seconds(10)), clock: clock, pressure: nil)
    for key in 1...3000 { cache[key] = key }
    clock.advance(by: .seconds(9))
    let value = cache[
      0,
      or: {
        clock.advance(by: .seconds(1))
        XCTAssertEqual(cache.statistics.expirations, 3000)
        return 7
      }]
    XCTAssertEqual([value, cache.peek(0)], [7, 7])
  }

  func testATaskDoesNotBlockItsThreadUntilAnotherHasComputed() {
    let cache = MemoCache<Int, Int>(pressure: nil)
    let clock = ManualClock()
    let end = DispatchSemaphore(value: 0)
    Task {
      _ = try await cache.value(for: 1) {
        try await clock.sleep(until: clock.now + .seconds(1))
        return 1
      }
      end.signal()
    }
    expectToEnd("the computation's begin") { while clock.sleeperCount == 0 { sched_yield() } }
    expectToEnd("the task that asks") {
      let isAnswered = DispatchSemaphore(value: 0)
      Task {
        XCTAssertEqual(cache[1, or: { 2 }], 2)
        isAnswered.signal()
      }
      isAnswered.wait()
    }
    clock.advance(by: .seconds(1))
    expectToEnd("the computation") { end.wait() }
  }

  func testTasksThatComputationsBeginRetainNoneOfThem() {
    let cache = MemoCache<Int, Int>(limits: MemoLimits(count: 1), pressure: nil)
    let end = DispatchSemaphore(value: 0)
    let before = Int(fixture_heap_in_use())
    /// Computes a value, and begins a task meanwhile that does the same.
    @Sendable func compute(_ number: Int) async {
      guard number < 4000 else {
        // A list of all earlier ones in each would have taken 64 MB.
        XCTAssertLessThan(Int(fixture_heap_in_use()) - before, 16 << 20)
        end.signal()
        return
      }
      _ = try? await cache.value(for: number) {
        Task { await compute(number + 1) }
        return number
      }
    }
    Task { await compute(0) }
    expectToEnd { end.wait() }
  }
}
