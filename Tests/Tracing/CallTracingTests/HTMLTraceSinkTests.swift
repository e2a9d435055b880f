import BlockABI
import BlockHooks
import CallTracing
import Foundation
import Invocations
import TestSupport
import XCTest

final class HTMLTraceSinkTests: XCTestCase {
  private typealias Work = @convention(block) (Int) -> Int

  private struct Failure: Error, CustomStringConvertible { let description: String }

  /// Traces so many calls of a block with sinks, delivered in several batches.
  private func trace(_ count: Int, _ sinks: [any TraceSink]) throws -> TraceCounts {
    let tracer = Tracer(sinks)
    let work: Work = { $0 * 2 }
    try Block(work).install(.tracing(with: tracer))
    for number in 0..<count {
      _ = work(number)
      if number % 7 == 0 { tracer.flush() }
    }
    tracer.close()
    return tracer.counts
  }

  func testThePageHoldsWhatTheRecordsSay() throws {
    let path = temporaryFile(self)
    let sink = RecordingSink()
    try ServerScene().run(
      [HTMLTraceSink(TraceOutput(path: path), title: "Orders"), sink], callCount: 400)
    let page = try TracePageFile(path: path)
    let origin = try XCTUnwrap(sink.records.map(\.startNanoseconds).min())
    let expected = sink.records.map { record in
      var error: String?
      if case .threw(let text) = record.outcome { error = text }
      return TracePageFile.Call(
        start: record.startNanoseconds - origin, duration: record.durationNanoseconds,
        sequence: record.sequence, process: Int(record.process), thread: Int(record.thread),
        depth: record.depth,
        title: record.subject.title, arguments: record.arguments, result: record.result,
        outcome: record.outcome.name, error: error)
    }
    XCTAssertGreaterThan(expected.count, 399)
    XCTAssertEqual(try page.calls(), expected)
    XCTAssertEqual(Set(expected.map(\.outcome)), ["returned", "replaced", "threw"])
    XCTAssertEqual(Set(expected.map(\.depth)), [0, 1, 2])
    XCTAssertEqual(page.title, "Orders")
    XCTAssertEqual(page.unshown, 0)
    XCTAssertEqual(page.laneNames, ["net-accept", "worker-1", "worker-2", "worker-3"])
    // Each text stands there once.
    XCTAssertLessThan(page.textCount, 400)
  }

  func testThePageIsCompleteInItself() throws {
    let text = Recorder<String>()
    _ = try trace(3, [HTMLTraceSink(TraceOutput(text.record))])
    XCTAssertEqual(text.entries.count, 1)
    let frame = try TracePageFile(written(text)).frame
    XCTAssertTrue(frame.hasPrefix("<!doctype html>\n"))
    XCTAssertTrue(frame.hasSuffix("</html>\n"))
    XCTAssertTrue(frame.contains("default-src 'none'"))
    for reference in ["http:", "https:", "//www", " src=", "@import", "url(", "<link", "import("] {
      XCTAssertFalse(frame.contains(reference), reference)
    }
    // What could make markup of the trace's texts.
    for function in ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("] {
      XCTAssertFalse(frame.contains(function), function)
    }
  }

  func testHostileTextsStayTexts() throws {
    let hostile =
      "</script><script>document.title='taken'</script><!-- <img src=x onerror=alert(1)>"
    let text = Recorder<String>()
    let tracer = Tracer(HTMLTraceSink(TraceOutput(text.record), title: hostile))
    let echo = try Block(signature: "v@?r*^{</script><img/onerror>=i}") { _ in }
    try echo.hook(onError: { _ in }) { call in
      try tracer.record(&call) { _ in throw Failure(description: hostile + "\u{2028}\\") }
    }
    // SAFETY: the text lives while the block is called.
    unsafe hostile.withCString { pointer in
      _ = try? echo.call(values: [.pointer(UInt(bitPattern: pointer)), .pointer(0)])
    }
    tracer.close()
    let page = try TracePageFile(written(text))
    let call = try XCTUnwrap(page.calls().first)
    XCTAssertEqual(page.title, hostile)
    XCTAssertEqual(call.error, hostile + "\u{2028}\\")
    XCTAssertEqual(call.arguments.first, "\"\(hostile)\"")
    XCTAssertTrue(call.title.contains("</script><img/onerror>"), call.title)
    XCTAssertFalse(page.text.contains("<img"))
    XCTAssertFalse(page.text.contains("<!--"))
    XCTAssertEqual(page.text.components(separatedBy: "</script").count, 3)
  }

  func testAPageWithoutCallsIsAPage() throws {
    let text = Recorder<String>()
    let counts = try trace(0, [HTMLTraceSink(TraceOutput(text.record))])
    XCTAssertEqual(counts.delivered, 0)
    let page = try TracePageFile(written(text))
    XCTAssertEqual(try page.calls(), [])
    XCTAssertEqual(page.title, "Traced blocks")
  }

  func testCallsBeyondTheLimitAreCounted() throws {
    for (limit, shown) in [(20, 20), (50, 50), (51, 50), (0, 0), (-1, 0)] {
      let text = Recorder<String>()
      let sink = HTMLTraceSink(TraceOutput(text.record), callLimit: limit)
      let counts = try trace(50, [sink])
      let page = try TracePageFile(written(text))
      XCTAssertEqual(try page.calls().map(\.sequence), (0..<shown).map(UInt64.init))
      XCTAssertEqual(page.unshown, 50 - shown)
      XCTAssertEqual(sink.unshownCallCount, 50 - shown)
      XCTAssertEqual(counts.lostBySinks, 0)
    }
  }

  func testTextsBeyondTheLimitAreCounted() throws {
    let text = Recorder<String>()
    let sink = HTMLTraceSink(TraceOutput(text.record), textByteLimit: 10_000)
    let tracer = Tracer(sink)
    let failing = try Block(signature: "v@?i") { _ in }
    try failing.hook(onError: { _ in }) { call in
      let number: Int32 = try call.argument(1)
      try tracer.record(&call) { _ in
        throw Failure(description: "\(number)" + String(repeating: "x", count: 500))
      }
    }
    for number in 0..<Int32(80) {
      try failing.call(number)
      tracer.flush()
    }
    tracer.close()
    XCTAssertEqual(tracer.counts.delivered, 80)
    let page = try TracePageFile(written(text))
    let shown = try page.calls().count
    XCTAssertEqual(page.unshown, 80 - shown)
    XCTAssertEqual(sink.unshownCallCount, 80 - shown)
    XCTAssertEqual(shown, 20)
  }

  func testWhatAFullDiskDoesNotTakeIsCounted() throws {
    let sink = HTMLTraceSink(try TraceOutput(path: "/dev/full"))
    XCTAssertEqual(try trace(9, [sink]).lostBySinks, 9)
    XCTAssertEqual(sink.lostRecordCount, 9)
  }

  func testASinkThatIsFinishedLosesVisiblyAndWritesNothing() throws {
    let text = Recorder<String>()
    let sink = HTMLTraceSink(TraceOutput(text.record))
    XCTAssertEqual(try trace(3, [sink]).lostBySinks, 0)
    XCTAssertEqual(try trace(4, [sink]).lostBySinks, 4)
    XCTAssertEqual(text.entries.count, 1)
  }
}
