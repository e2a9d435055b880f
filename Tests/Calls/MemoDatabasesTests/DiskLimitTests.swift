#if Database
import BlockHooks
import BlockABI
import CallMemoization
import DelayedBlocks
import Foundation
import Invocations
import MemoDatabases
import TestSupport
import XCTest

/// The limits of the results in a file.
final class DiskLimitTests: XCTestCase {
  private let second: Int64 = 1_000_000_000

  /// The arguments of the results in the file.
  private func stored(_ memo: Memo) -> [Int] {
    let stored = Recorder<Int>()
    _ = memo.removeAll { call in
      if case .integer(let value)? = call.arguments.first { stored.record(Int(value)) }
      return false
    }
    return stored.entries.sorted()
  }

  /// Memoizes a block with one result in memory, so that the file answers nearly all calls.
  @discardableResult
  private func memoize(
    _ block: CountedBlock, _ database: MemoDatabase, cost: Bool = false
  ) throws -> Memo {
    let result: @Sendable ([CValue], CValue) -> Int = { _, result in
      if case .integer(let value) = result { Int(value) } else { 0 }
    }
    return try block.block.install(
      .memoizing(
        in: database, named: "block", limits: MemoLimits(count: 1), cost: cost ? result : nil)
    ).handle
  }

  func testTheLeastRecentlyUsedResultsGoFirst() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open(MemoLimits(count: 3))
    try memoize(block, database)
    for value in [1, 2, 3, 1, 4, 5, 1] {
      XCTAssertEqual(try block.square(value), value * value)
      database.flush()
    }
    block.block.removeHooks()
    let other = try memoize(block, database)
    XCTAssertEqual(stored(other), [1, 4, 5])
    XCTAssertEqual([database.statistics.evictions, database.statistics.count], [2, 3])
    XCTAssertEqual(block.count, 5)
  }

  func testUsesAreWrittenWithTheNextResultsAndInOrder() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open(MemoLimits(count: 4))
    var memo = try memoize(block, database)
    for value in [1, 2, 3, 4, 2, 1] { _ = try block.square(value) }
    _ = try block.square(5)
    _ = try block.square(6)
    block.block.removeHooks()
    memo = try memoize(block, database)
    XCTAssertEqual(stored(memo), [1, 2, 5, 6])
  }

  func testCostsTogetherStayBelowTheLimitAndWhatCostsMoreIsNotStored() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open(MemoLimits(count: nil, cost: 30))
    try memoize(block, database, cost: true)
    for value in [1, 2, 3, 4, 6, 5] {
      _ = try block.square(value)
      database.flush()
    }
    block.block.removeHooks()
    // 25 puts out 16, 9 and 4's rest: 36 is too much by itself.
    let statistics = database.statistics
    XCTAssertEqual([statistics.totalCost, statistics.count, statistics.skipped], [25, 1, 1])
    XCTAssertEqual(stored(try memoize(block, database)), [5])
  }

  func testAResultExpiresByTheTimeOfDayInLaterProcessesToo() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let limits = MemoLimits(count: nil, age: .seconds(60))
    try files.with(block, limits: limits) { _, _ in _ = try block.square(1) }
    files.time.value += 59 * second
    try files.with(block, limits: limits) { _, _ in _ = try block.square(1) }
    XCTAssertEqual(block.count, 1)
    files.time.value += second
    try files.with(block, limits: limits) { database, _ in
      _ = try block.square(1)
      _ = try block.square(2)
      database.flush()
      XCTAssertEqual([database.statistics.misses, database.statistics.hits], [2, 0])
    }
    XCTAssertEqual(block.count, 3)
    files.time.value += 60 * second
    try files.with(block, limits: limits) { database, _ in
      _ = try block.square(3)
      database.flush()
      XCTAssertEqual([database.statistics.count, database.statistics.expirations], [1, 2])
    }
  }

  func testAResultFromTheFutureHasExpiredIfThereIsALimitOfAge() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    try files.with(block) { _, _ in _ = try block.square(1) }
    files.time.value -= second
    try files.with(block) { _, _ in _ = try block.square(1) }
    XCTAssertEqual(block.count, 1)
    try files.with(block, limits: MemoLimits(age: .seconds(60))) { database, _ in
      _ = try block.square(1)
      _ = try block.square(2)
      XCTAssertEqual(block.count, 3)
    }
    // What the clock said when it was right again counts.
    files.time.value += second
    try files.with(block, limits: MemoLimits(age: .seconds(60))) { _, _ in
      _ = try block.square(1)
      XCTAssertEqual(block.count, 3)
    }
  }

  func testTheAgeOfAResultCountsInMemoryFromItsCall() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    try files.with(block) { _, _ in _ = try block.square(1) }
    files.time.value += 50 * second
    let clock = ManualClock()
    clock.advance(by: .seconds(100))
    let database = try files.open()
    let memo = try block.block.install(
      .memoizing(
        in: database, named: "block", limits: MemoLimits(age: .seconds(60)), clock: clock)
    ).handle
    _ = try block.square(1)
    clock.advance(by: .seconds(9))
    files.time.value += 9 * second
    _ = try block.square(1)
    XCTAssertEqual([block.count, memo.hits, database.statistics.hits], [1, 2, 1])
    clock.advance(by: .seconds(1))
    files.time.value += second
    // It is older than what the hook uses, and is computed again.
    _ = try block.square(1)
    XCTAssertEqual([block.count, memo.hits, memo.misses], [2, 2, 1])
  }

  func testTheLimitsAreThoseOfASimpleModelWhateverIsCalled() throws {
    var generator = SeededGenerator(seed: 11)
    for (count, cost, age) in [(5, nil, nil), (nil, 300, nil), (nil, nil, 4), (6, 250, 7)]
      as [(Int?, Int?, Int64?)]
    {
      let files = try DatabaseFiles(self)
      let block = try CountedBlock.squares()
      let database = try files.open(
        MemoLimits(count: count, cost: cost, age: age.map { .seconds($0) }))
      var memo = try memoize(block, database, cost: true)
      // In the order of uses.
      var model: [(value: Int, born: Int64)] = []
      var hits = 0
      for _ in 0..<400 {
        if Int.random(in: 0..<4, using: &generator) == 0 { files.time.value += second }
        let now = files.time.value
        let value = Int.random(in: 1...20, using: &generator)
        XCTAssertEqual(try block.square(value), value * value)
        // The memory is emptied, so that the file answers.
        block.block.removeHooks()
        memo = try memoize(block, database, cost: true)
        database.flush()
        let isOld = model.contains {
          $0.value == value && now - $0.born >= (age ?? 1 << 30) * second
        }
        if let place = model.firstIndex(where: { $0.value == value }), !isOld {
          hits += 1
          model.append(model.remove(at: place))
        } else {
          model.removeAll { $0.value == value }
          if value * value <= cost ?? .max { model.append((value, now)) }
        }
        model.removeAll { now - $0.born >= (age ?? 1 << 30) * second }
        while model.count > count ?? .max
          || model.reduce(0, { $0 + $1.value * $1.value }) > cost ?? .max
        {
          model.removeFirst()
        }
      }
      XCTAssertEqual(database.statistics.hits, hits)
      XCTAssertEqual(stored(memo), model.map(\.value).sorted())
      XCTAssertEqual(
        database.statistics.totalCost, model.reduce(0) { $0 + $1.value * $1.value })
    }
  }
}
#endif
