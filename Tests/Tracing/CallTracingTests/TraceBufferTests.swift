import BlockABI
import BlockHooks
import CallTracing
import DelayedBlocks
import Invocations
import TestSupport
import XCTest

final class TraceBufferTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  func testTheLastRecordsAreKeptInOrder() throws {
    let buffer = TraceBuffer(capacity: 4)
    let tracer = Tracer(buffer)
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: tracer))
    for value in 0..<3 { _ = work(value) }
    tracer.flush()
    XCTAssertEqual(buffer.records.map(\.sequence), [0, 1, 2])
    XCTAssertEqual(buffer.overwrittenCount, 0)
    for value in 3..<10 { _ = work(value) }
    tracer.flush()
    XCTAssertEqual(buffer.records.map(\.sequence), [6, 7, 8, 9])
    XCTAssertEqual(buffer.records.map(\.arguments), (6..<10).map { ["i64 \($0)"] })
    XCTAssertEqual(buffer.overwrittenCount, 6)
    XCTAssertEqual(buffer.statistics.map(\.durations.count), [10])
    buffer.removeAll()
    XCTAssertTrue(buffer.records.isEmpty && buffer.statistics.isEmpty)
    XCTAssertEqual(buffer.overwrittenCount, 0)
  }

  func testEachSubjectHasItsStatistics() throws {
    let buffer = TraceBuffer(capacity: 0, subjectLimit: 2)
    let clock = ManualClock()
    var options = TraceOptions()
    options.clock = clock
    let tracer = Tracer(buffer, options: options)
    let first: IntBlock = { value in
      clock.advance(by: .nanoseconds(UInt64(value)))
      return value
    }
    let second: IntBlock = { value in
      clock.advance(by: .nanoseconds(10 * UInt64(value)))
      return value
    }
    let third: IntBlock = { -$0 }
    for block in [try Block(first), try Block(second), try Block(third)] {
      try block.install(.tracing(with: tracer))
    }
    try Block(second).hook { call in
      try tracer.record(&call) { call in try call.setResult(0) }
    }
    for value in 1...3 { _ = first(value) + second(value) + third(value) }
    tracer.flush()
    let statistics = buffer.statistics
    XCTAssertEqual(
      statistics.map(\.subject.name),
      [try Block(first).implementation?.name, try Block(second).implementation?.name])
    XCTAssertEqual(statistics.map(\.durations.count), [3, 6])
    XCTAssertEqual(statistics.map(\.durations.total), [6, 0])
    XCTAssertEqual(statistics.map(\.durations.minimum), [1, 0])
    XCTAssertEqual(statistics.map(\.durations.maximum), [3, 0])
    XCTAssertEqual(statistics.map(\.replacedCount), [0, 3])
    XCTAssertEqual(statistics.map(\.threwCount), [0, 0])
    XCTAssertEqual(buffer.uncountedCount, 3)
    XCTAssertEqual(buffer.overwrittenCount, 12)
    XCTAssertTrue(buffer.records.isEmpty)
  }

  func testPercentilesAreAtMostA32ndAboveTheExactOnes() {
    var generator = SeededGenerator(seed: 5)
    for magnitude in [UInt64(50), 1000, 5_000_000, 1 << 40, .max] {
      var histogram = TraceHistogram()
      let values = (0..<2000).map { _ in UInt64.random(in: 0...magnitude, using: &generator) }
      values.forEach { histogram.add($0) }
      let sorted = values.sorted()
      for percent in [0, 0.1, 1, 25, 50, 90, 99, 99.9, 100] {
        let rank = max(1, Int((percent / 100 * 2000).rounded(.up)))
        let exact = sorted[rank - 1]
        guard let found = histogram.percentile(percent) else { return XCTFail("no percentile") }
        XCTAssertGreaterThanOrEqual(found, exact)
        XCTAssertLessThanOrEqual(found - exact, exact / 32, "\(percent) of \(magnitude)")
      }
      XCTAssertEqual(histogram.percentile(100), sorted.last)
      XCTAssertEqual(histogram.minimum, sorted.first)
      XCTAssertEqual(histogram.maximum, sorted.last)
      XCTAssertEqual(histogram.buckets.map(\.count).reduce(0, +), 2000)
    }
  }

  func testEveryBucketEndsWhereTheNextBegins() {
    var histogram = TraceHistogram()
    for value in UInt64(0)..<5000 { histogram.add(value) }
    var next: UInt64 = 0
    for bucket in histogram.buckets {
      XCTAssertEqual(bucket.count, min(bucket.upperBound, 4999) - next + 1)
      next = bucket.upperBound + 1
    }
    XCTAssertEqual(next, 5120)
  }

  func testAnEmptyHistogramHasNoPercentiles() {
    var histogram = TraceHistogram()
    XCTAssertNil(histogram.percentile(50))
    XCTAssertNil(histogram.minimum)
    histogram.add(5)
    XCTAssertNil(histogram.percentile(-1))
    XCTAssertNil(histogram.percentile(100.5))
    XCTAssertNil(histogram.percentile(.nan))
    histogram.add(.max)
    XCTAssertEqual(histogram.total, .max)
    XCTAssertEqual(histogram.percentile(50), 5)
  }
}
