import BlockRuntime
import CallMemoization
import TestSupport
import XCTest

/// A block that remembers: what a cache of its results keeps, and what it gives up.
final class MemoizingCacheTests: XCTestCase {
  /// Squares, with a record of what was really computed.
  private func makeSquares() throws -> (block: Block, computed: Recorder<Int>) {
    let computed = Recorder<Int>()
    let block = try Block(signature: "q@?q") { call in
      let number = try call.argument(1, as: Int.self)
      computed.record(number)
      try call.setResult(number * number)
    }
    return (block, computed)
  }

  private func call(_ block: Block, _ numbers: Int...) throws {
    for number in numbers { XCTAssertEqual(try block.call(number), number * number) }
  }

  /// The result that nobody has asked for longest goes first.
  func testTheLeastRecentlyUsedResultIsEvicted() throws {
    let (block, computed) = try makeSquares()
    let memo = try block.install(.memoizing(limits: MemoLimits(count: 2))).handle
    try call(block, 1, 2)
    // 1 is used again, so it is 2 that goes when 3 comes.
    try call(block, 1, 3)
    XCTAssertEqual(computed.entries, [1, 2, 3])
    try call(block, 1, 3)
    XCTAssertEqual(computed.entries, [1, 2, 3])
    try call(block, 2)
    XCTAssertEqual(computed.entries, [1, 2, 3, 2])
    XCTAssertEqual([memo.hits, memo.misses, memo.statistics.evictions, memo.count], [3, 4, 2, 2])
  }

  /// What is kept may be counted by its weight instead of one by one.
  func testCostsBoundWhatIsKept() throws {
    let (block, computed) = try makeSquares()
    // A result costs itself: 1, 4 and 9 fit into 14, and then 16 is too much even alone.
    let memo = try block.install(
      .memoizing(
        limits: MemoLimits(count: nil, cost: 14),
        cost: { _, result in
          if case .integer(let cost) = result { Int(cost) } else { 0 }
        })
    ).handle
    try call(block, 1, 2, 3)
    XCTAssertEqual([memo.statistics.totalCost, memo.count], [14, 3])
    try call(block, 4, 4, 1)
    XCTAssertEqual(computed.entries, [1, 2, 3, 4, 4])
    XCTAssertEqual([memo.statistics.totalCost, memo.statistics.evictions], [14, 0])
  }

  /// A result grows old from when it was computed, however often it is used.
  func testAnOldResultIsComputedAgain() throws {
    let (block, computed) = try makeSquares()
    let clock = ManualClock()
    let memo = try block.install(
      .memoizing(
        limits: MemoLimits(age: .seconds(60)), clock: clock)
    ).handle
    try call(block, 5)
    clock.advance(by: .seconds(59))
    try call(block, 5)
    clock.advance(by: .seconds(1))
    try call(block, 5)
    XCTAssertEqual(computed.entries, [5, 5])
    XCTAssertEqual([memo.hits, memo.misses, memo.statistics.expirations], [1, 2, 1])
  }

  /// A block that calls itself finds its own results: the classic of exponential time becomes
  /// linear.
  func testARecursiveBlockUsesItsOwnResults() throws {
    let computed = Recorder<Int>()
    // The block finds itself through a box, which is emptied at the end: its captures must not keep
    // it.
    final class Itself: @unchecked Sendable { var block: Block? }
    let itself = Itself()
    let fibonacci = try Block(signature: "q@?q") { call in
      let number = try call.argument(1, as: Int.self)
      computed.record(number)
      guard number > 1, let block = itself.block else { return try call.setResult(number) }
      let first: Int = try block.call(number - 1)
      let second: Int = try block.call(number - 2)
      try call.setResult(first + second)
    }
    itself.block = fibonacci
    defer { itself.block = nil }
    XCTAssertEqual(try fibonacci.call(15), 610)
    XCTAssertEqual(computed.entries.count, 1973)

    let memo = try fibonacci.install(.memoizing()).handle
    XCTAssertEqual(try fibonacci.call(40), 102_334_155)
    // Each number once, and every second look-up a hit.
    XCTAssertEqual(computed.entries.count, 1973 + 41)
    XCTAssertEqual([memo.misses, memo.hits], [41, 38])
  }
}
