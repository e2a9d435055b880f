import BlockABI
import BlockHooks
import CallMemoization
import DelayedBlocks
import Invocations
import Synchronization
import TestSupport
import XCTest

final class MemoLimitsTests: XCTestCase {
  private func squares() throws -> CountedBlock {
    try CountedBlock("q@?i") { call in
      let value = try call.argument(1, as: Int.self)
      try call.setResult(value * value)
    }
  }

  func testTheLeastRecentlyUsedResultGoesFirst() throws {
    let counted = try squares()
    let memo = try counted.block.install(.memoizing(limits: MemoLimits(count: 2))).handle
    for value in [1, 2, 1, 3, 1, 2] { _ = try counted.block.call(value) as Int }
    // 3 put 2 out, and 2 then 3.
    XCTAssertEqual(
      [counted.count, memo.hits, memo.statistics.evictions, memo.count], [4, 2, 2, 2])
  }

  func testCostsTogetherStayBelowTheLimitAndWhatCostsMoreIsNotKept() throws {
    let counted = try squares()
    let memo = try counted.block.install(
      .memoizing(
        limits: MemoLimits(cost: 10),
        cost: { _, result in
          guard case .integer(let cost) = result else { return 0 }
          return Int(cost)
        })
    ).handle
    for value in [1, 2, 3, 4, 3] { _ = try counted.block.call(value) as Int }
    // 9 put out 1 and 4; 16 is too much by itself.
    XCTAssertEqual(
      [memo.count, memo.statistics.totalCost, memo.statistics.evictions, memo.hits], [1, 9, 2, 1])
  }

  func testAResultThatIsTooOldCountsAsAMissAndGoes() throws {
    let counted = try squares()
    let time = ManualClock()
    let memo = try counted.block.install(
      .memoizing(
        limits: MemoLimits(age: .seconds(60)), clock: time)
    ).handle
    _ = try counted.block.call(1) as Int
    time.advance(by: .seconds(59))
    _ = try counted.block.call(1) as Int
    XCTAssertEqual([memo.hits, memo.count], [1, 1])
    time.advance(by: .seconds(1))
    _ = try counted.block.call(1) as Int
    XCTAssertEqual([memo.hits, memo.misses, memo.statistics.expirations], [1, 2, 1])
    time.advance(by: .seconds(60))
    XCTAssertEqual(
      [memo.count, memo.statistics.totalCost, memo.statistics.expirations], [0, 0, 2])
  }

  func testTheLimitsAreThoseOfASimpleModelWhateverIsCalled() throws {
    var generator = SeededGenerator(seed: 5)
    for (count, cost, age) in [(5, nil, nil), (nil, 30, nil), (nil, nil, 4), (6, 25, 7)]
      as [(Int?, Int?, UInt64?)]
    {
      let counted = try squares()
      let time = ManualClock()
      let memo = try counted.block.install(
        .memoizing(
          limits: MemoLimits(count: count, cost: cost, age: age.map { .seconds(Int($0)) }),
          clock: time,
          cost: { arguments, _ in
            guard case .integer(let value)? = arguments.first else { return 0 }
            return Int(value)
          })
      ).handle
      // Keys in order of use, with the time of their making.
      var model: [(value: Int, born: UInt64)] = []
      var now: UInt64 = 0
      var hits = 0
      for _ in 0..<3000 {
        if Int.random(in: 0..<4, using: &generator) == 0 {
          time.advance(by: .seconds(1))
          now += 1
        }
        let value = Int.random(in: 1...16, using: &generator)
        XCTAssertEqual(try counted.block.call(value), value * value)
        model.removeAll { now - $0.born >= age ?? .max }
        if let place = model.firstIndex(where: { $0.value == value }) {
          hits += 1
          model.append(model.remove(at: place))
        } else if value <= cost ?? .max {
          model.append((value, now))
          while model.count > count ?? .max || model.reduce(0, { $0 + $1.value }) > cost ?? .max {
            model.removeFirst()
          }
        }
        if Int.random(in: 0..<50, using: &generator) == 0 {
          let value = Int.random(in: 1...16, using: &generator)
          let isKept = model.contains { $0.value == value }
          model.removeAll { $0.value == value }
          XCTAssertEqual(
            try memo.remove(arguments: [.integer(Int128(value))]), isKept)
        }
      }
      XCTAssertEqual(memo.hits, hits)
      XCTAssertEqual(memo.hits + memo.misses, 3000)
      let kept = Recorder<Int>()
      _ = memo.removeAll { call in
        if case .integer(let value)? = call.arguments.first { kept.record(Int(value)) }
        return false
      }
      XCTAssertEqual(kept.entries.sorted(), model.map(\.value).sorted())
      XCTAssertEqual(memo.statistics.totalCost, model.reduce(0) { $0 + $1.value })
    }
  }
}
