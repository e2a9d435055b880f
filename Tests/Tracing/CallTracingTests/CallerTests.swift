import BlockABI
import BlockHooks
import Invocations
import TestSupport
import XCTest

@testable import CallTracing

/// The callers of calls that were not sent to queues, in every output.
final class CallerTests: XCTestCase {
  private typealias Body = @convention(block) () -> Void

  /// Two calls of a function, the first by another function.
  private func records(count: Int = 2) throws -> [TraceRecord] {
    let ends = try TraceStreamEnds(self)
    let tracer = Tracer(ends.writer)
    // SAFETY: it writes no more addresses than its limit, of code that is loaded.
    let search = unsafe CallerSearch(
      { addresses, limit in
        let names = ["strfry", "swift_retain", "swift_release"].prefix(limit)
        for (index, name) in names.enumerated() {
          unsafe addresses[index] = unsafe dlsym(nil, name).map { unsafe UnsafeRawPointer($0) + 1 }
        }
        return names.count
      }, count: count)
    let body: Body = {}
    let block = try Block(body)
    let point = InstallationPoint(
      try block.callInterface, code: unsafe UInt(bitPattern: dlsym(nil, "swift_demangle")),
      title: nil)
    let definition = try HookDefinition.tracing(with: tracer, .call, callers: search)
      .prepared(at: point)
    try block.install(definition)
    body()
    return try ends.reader.read()
  }

  func testARecordHasAsManyCallersAsWereAskedFor() throws {
    for count in 1...3 {
      let callers = try XCTUnwrap(try records(count: count).first).callers
      XCTAssertEqual(
        callers.map(\.name), Array(["strfry", "swift_retain", "swift_release"].prefix(count)))
      XCTAssertEqual(callers.first?.image?.contains("libc"), true)
    }
  }

  func testLinesAndDocumentsNameTheCaller() throws {
    let records = try records()
    let text = Recorder<String>()
    let path = temporaryFile(self)
    let sinks: [(any TraceSink, String)] = [
      (TextTraceSink(TraceOutput(text.record)), "swift_demangle()  [called by strfry]\n"),
      (
        JSONLinesTraceSink(TraceOutput(text.record)),
        #""stack":["strfry","swift_retain"],"calledBy":"strfry""#
      ),
      (FoldedTraceSink(TraceOutput(text.record)), ";swift_retain;strfry;swift_demangle "),
    ]
    for (sink, expected) in sinks {
      sink.receive(records)
      sink.finish()
      XCTAssertTrue(written(text).contains(expected), "\(type(of: sink)): \(written(text))")
    }
    let perfetto = try PerfettoTraceSink(TraceOutput(path: path))
    perfetto.receive(records)
    perfetto.finish()
    let file = try PerfettoFile(path: path)
    XCTAssertEqual(file.slices.first?.texts["caller"], "strfry ← swift_retain")
  }

  func testAPagesDetailsAndFlamesNameTheCallers() throws {
    let path = temporaryFile(self)
    let sink = try HTMLTraceSink(TraceOutput(path: path), title: "callers")
    sink.receive(try records())
    sink.finish()
    let script = """
      select(0);
      const terms = [...document.querySelectorAll('#details dt')];
      const called = terms.find((term) => term.textContent === 'Called by');
      const flames = new Flames();
      return [[...called.nextElementSibling.querySelectorAll('li')].map((item) => item.textContent),
        flames.frames.map(({ name }) => name)];
      """
    let answer = try Browser().open(
      try String(contentsOfFile: path, encoding: .utf8), script: script
    ).answer([[String]].self)
    XCTAssertEqual(
      answer, [["strfry", "swift_retain"], ["all", "swift_retain", "strfry", "swift_demangle"]])
  }

  func testSymbolsAreDemangledUnlessTheirNameCouldFillTheMemory() {
    let pair = "_AAt"
    let rows = [
      ("main", "main"), ("$s7program4workyyF", "program.work() -> ()"),
      ("_ZN3app4workEv", "app::work()"), ("$s", "$s"),
      ("$s1a1byySi_Sit" + String(repeating: pair, count: 40) + "F", nil),
      ("$s1a1byyA9999_F", nil),
      ("$s" + String(repeating: "a", count: 5000), nil),
      ("_Z1fSt4pairI" + String(repeating: "S_S_", count: 40), nil),
    ]
    for (symbol, name) in rows { XCTAssertEqual(ForeignSymbol.name(of: symbol), name ?? symbol) }
  }
}
