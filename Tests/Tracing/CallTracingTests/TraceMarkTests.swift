import BlockABI
import BlockHooks
import CallTracing
import DelayedBlocks
import TestSupport
import XCTest

/// Events that are no calls.
final class TraceMarkTests: XCTestCase {
  func testAMarkStandsWithinTheCallAroundIt() throws {
    let clock = ManualClock()
    var options = TraceOptions()
    options.clock = clock
    options.slowThreshold = .microseconds(1)
    options.valueByteLimit = 8
    options.exclude = ["left out"]
    let sink = RecordingSink()
    let tracer = Tracer(sink, options: options)
    let work: @convention(block) () -> Void = {
      clock.advance(by: .microseconds(2))
      tracer.mark("cache miss", "key 1", "a long text")
      tracer.mark("left out")
      tracer.mark("cache miss", "key 2")
      clock.advance(by: .microseconds(1))
    }
    try Block(work).install(.tracing(with: tracer))
    work()
    tracer.mark("end")
    tracer.close()
    tracer.mark("late")
    let records = sink.records
    XCTAssertEqual(
      records.prefix(2).map(\.subject.title) + records.suffix(1).map(\.subject.title),
      ["cache miss", "cache miss", "end"])
    XCTAssertEqual(records.map(\.depth), [1, 1, 0, 0])
    XCTAssertEqual(records.map(\.durationNanoseconds), [0, 0, 3_000, 0])
    XCTAssertEqual(records.map(\.startNanoseconds), [2_000, 2_000, 0, 3_000])
    XCTAssertEqual(records.map(\.arguments), [["key 1", "a long t…"], ["key 2"], [], []])
    XCTAssertEqual(
      ObjectIdentifier(records[0].subject), ObjectIdentifier(records[1].subject))
    XCTAssertEqual(records.map(\.outcome), Array(repeating: .returned, count: 4))
  }
}
