import CallMemoization
import Glibc
import Synchronization
import TestSupport
import XCTest

/// Concurrent misses of one key.
final class SharedComputationTests: XCTestCase {
  private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  private struct Failure: Error, Equatable { let number: Int }

  func testSixteenThreadsThatMissAKeyComputeItOnce() {
    for _ in 0..<50 {
      let cache = MemoCache<String, Int>(pressure: nil)
      let computed = Counter()
      let asking = Counter()
      let threads = ThreadGroup()
      for _ in 0..<16 {
        threads.start {
          _ = asking.next()
          let value = cache[
            "a",
            or: {
              while asking.value < 16 { sched_yield() }
              return computed.next()
            }]
          XCTAssertEqual(value, 1)
        }
      }
      threads.wait()
      XCTAssertEqual(computed.value, 1)
      XCTAssertEqual([cache.statistics.hits, cache.statistics.misses], [15, 1])
    }
  }

  func testAComputationThatAsksForItsOwnKeyComputesIt() {
    let cache = MemoCache<Int, Int>(pressure: nil)
    XCTAssertEqual(cache[1, or: { cache[1, or: { cache[1, or: { 5 }] + 1 }] + 1 }], 7)
    // The innermost value was stored first, the outermost last.
    XCTAssertEqual(cache.peek(1), 7)
  }

  func testComputationsThatAskForEachOthersKeysDoNotWaitForEver() {
    for _ in 0..<200 {
      let cache = MemoCache<Int, Int>(pressure: nil)
      let inside = Counter()
      let threads = ThreadGroup()
      for number in 0..<4 {
        threads.start {
          let value = cache[
            number,
            or: {
              _ = inside.next()
              while inside.value < 4 { sched_yield() }
              return cache[(number + 1) % 4, or: { 0 }] + 1
            }]
          XCTAssertGreaterThan(value, 0)
        }
      }
      threads.wait()
    }
  }

  func testAnErrorIsNotStored() throws {
    let cache = MemoCache<Int, Int>(pressure: nil)
    XCTAssertThrowsError(try cache[1, or: { throw Failure(number: 3) }]) { error in
      XCTAssertEqual(error as? Failure, Failure(number: 3))
    }
    XCTAssertEqual(cache[1, or: { 2 }], 2)
  }

  func testThoseWhoWaitGetTheError() {
    let cache = MemoCache<Int, Int>(pressure: nil)
    let computed = Counter()
    let asking = Counter()
    let failed = Counter()
    let threads = ThreadGroup()
    for _ in 0..<8 {
      threads.start {
        _ = asking.next()
        do {
          _ = try cache[
            1,
            or: {
              while asking.value < 8 { sched_yield() }
              throw Failure(number: computed.next())
            }]
        } catch {
          _ = failed.next()
        }
      }
    }
    threads.wait()
    XCTAssertEqual(failed.value, 8)
    XCTAssertNil(cache.peek(1))
  }

  func testAValueThatIsSetOrRemovedDuringItsComputationIsNotStoredOver() {
    let cache = MemoCache<Int, Int>(pressure: nil)
    let value = cache[
      1,
      or: {
        cache[1] = 5
        return 6
      }]
    XCTAssertEqual([value, cache[1]], [6, 5])
    let other = cache[
      2,
      or: {
        cache.remove(2)
        return 6
      }]
    XCTAssertEqual([other, cache[2]], [6, nil])
  }

  func testWhoAsksAfterARemovalDoesNotGetWhatWasComputedBefore() {
    let cache = MemoCache<Int, Int>(pressure: nil)
    let threads = ThreadGroup()
    let value = cache[
      1,
      or: {
        cache.remove(1)
        threads.start { XCTAssertEqual(cache[1, or: { 2 }], 2) }
        threads.wait()
        return 1
      }]
    XCTAssertEqual([value, cache[1]], [1, 2])
  }

  func testTasksAwaitOneValue() async throws {
    let cache = MemoCache<Int, Int>(pressure: nil)
    let computed = Counter()
    let values = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<16 {
        group.addTask {
          try await cache.value(for: 1) {
            for _ in 0..<100 { await Task.yield() }
            return computed.next()
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(values, Array(repeating: 1, count: 16))
    // Who awaited the value found it.
    XCTAssertEqual([cache.statistics.hits, cache.statistics.misses], [15, 1])
  }

  /// A key whose hash is that of all others, and which runs a closure when it is hashed for the
  /// second time: first it is looked for, then the computation of its value.
  private struct HashedKey: Hashable, Sendable {
    final class Meanwhile: Sendable {
      private let count = Atomic(0)
      private let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
      func hash() {
        if count.wrappingAdd(1, ordering: .relaxed).newValue == 2 { body() }
      }
    }

    let number: Int
    var meanwhile: Meanwhile?

    static func == (left: HashedKey, right: HashedKey) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { meanwhile?.hash() }
  }

  func testAValueThatIsStoredJustBeforeItsComputationIsFound() async throws {
    let cache = MemoCache<HashedKey, Int>(pressure: nil)
    func key(_ number: Int) -> HashedKey {
      HashedKey(
        number: number, meanwhile: HashedKey.Meanwhile { cache[HashedKey(number: number)] = 20 })
    }
    XCTAssertEqual(cache[key(1), or: { 1 }], 20)
    let value = try await cache.value(for: key(2)) { 2 }
    XCTAssertEqual(value, 20)
    XCTAssertEqual([cache.statistics.hits, cache.statistics.misses], [2, 0])
  }

  func testWhoAsksForAnotherKeyOfTheSameHashGetsItsOwnValue() async throws {
    let cache = MemoCache<HashedKey, Int>(pressure: nil)
    let threads = ThreadGroup()
    let other = Atomic(0)
    let value = cache[
      HashedKey(number: 1),
      or: {
        threads.start {
          let value = cache[HashedKey(number: 2), or: { 2 }]
          other.store(value, ordering: .releasing)
        }
        // The thread looks for its value, and computes it or waits.
        while cache.statistics.misses < 2 { sched_yield() }
        return 1
      }]
    threads.wait()
    XCTAssertEqual([value, other.load(ordering: .acquiring)], [1, 2])

    let tasks = MemoCache<HashedKey, Int>(pressure: nil)
    let (begun, go) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let computing = Task {
      try await tasks.value(for: HashedKey(number: 3)) {
        begun.continuation.finish()
        for await _ in go.stream {}
        return 3
      }
    }
    for await _ in begun.stream {}
    let asking = Task { try await tasks.value(for: HashedKey(number: 4)) { 4 } }
    while tasks.statistics.misses < 2 { await Task.yield() }
    go.continuation.finish()
    let values = try await [computing.value, asking.value]
    XCTAssertEqual(values, [3, 4])
  }

  func testATaskThatAsksForItsOwnKeyComputesIt() async throws {
    let cache = MemoCache<Int, Int>(pressure: nil)
    let value = try await cache.value(for: 1) {
      async let inner = cache.value(for: 1) { 4 }
      return try await inner + 1
    }
    XCTAssertEqual(value, 5)
  }

  /// Asks for a value that another task computes, until the test has it resumed.
  private func withWaiter(
    _ cache: MemoCache<Int, Int>,
    _ body: (
      _ computing: Task<Int, any Error>, _ waiting: Task<Int, any Error>, _ go: @Sendable () -> Void
    )
      async throws -> Void
  ) async throws {
    let (begun, go) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let computing = Task {
      try await cache.value(for: 1) {
        begun.continuation.finish()
        for await _ in go.stream {}
        // Another error than that of a cancellation, which is its task's own all the same.
        if Task.isCancelled { throw Failure(number: 1) }
        return 1
      }
    }
    for await _ in begun.stream {}
    let misses = cache.statistics.misses
    let waiting = Task { try await cache.value(for: 1) { 2 } }
    while cache.statistics.misses == misses { await Task.yield() }
    try await body(computing, waiting) { go.continuation.finish() }
  }

  func testAWaiterWhoseTaskIsCancelledStopsWaiting() async throws {
    let cache = MemoCache<Int, Int>(pressure: nil)
    try await withWaiter(cache) { computing, waiting, go in
      waiting.cancel()
      do {
        _ = try await waiting.value
        XCTFail("the waiter got a value")
      } catch {
        XCTAssertTrue(error is CancellationError)
      }
      go()
      let value = try await computing.value
      XCTAssertEqual(value, 1)
    }
  }

  func testATaskThatIsCancelledAlreadyDoesNotWait() async throws {
    let cache = MemoCache<Int, Int>(pressure: nil)
    try await withWaiter(cache) { computing, waiting, go in
      let cancelled = Task {
        while !Task.isCancelled { await Task.yield() }
        return try await cache.value(for: 1) { 3 }
      }
      cancelled.cancel()
      do {
        _ = try await cancelled.value
        XCTFail("the task got a value")
      } catch {
        XCTAssertTrue(error is CancellationError)
      }
      go()
      let values = try await [computing.value, waiting.value]
      XCTAssertEqual(values, [1, 1])
    }
  }

  func testWhoWaitsForATaskThatIsCancelledComputesTheValue() async throws {
    let cache = MemoCache<Int, Int>(pressure: nil)
    try await withWaiter(cache) { computing, waiting, go in
      computing.cancel()
      go()
      let value = try await waiting.value
      XCTAssertEqual(value, 2)
      XCTAssertEqual(cache.peek(1), 2)
    }
  }

  func testWhatAComputationCapturesIsReleased() async throws {
    let tracker = LifetimeTracker()
    do {
      let cache = MemoCache<Int, LifetimeTracker.Tracked>(pressure: nil)
      let object = tracker.track()
      _ = cache[1, or: { object }]
      _ = try await cache.value(for: 2) { object }
      cache.removeAll()
    }
    tracker.expectNothingAlive()
  }
}
