#if Everything
import Foundation
import TestSupport
import XCTest

final class HookCommandTests: XCTestCase {
  private static let names = [
    "intercept", "removal", "conditions", "groups", "typed", "memoize", "trace", "record",
    "restored",
  ]

  private func run(_ arguments: [String]) throws -> CommandLineTool.Outcome {
    try CommandLineTool.run(["hook"] + arguments)
  }

  /// Runs the command with a trace, and returns what the file has beside what it printed.
  private func tracing<Trace>(
    _ format: String, _ arguments: [String] = [],
    _ read: (String) throws -> Trace = { try String(contentsOfFile: $0, encoding: .utf8) }
  ) throws -> (outcome: CommandLineTool.Outcome, trace: Trace) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "hook-demo-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let outcome = try run(["--trace", format, file.path] + arguments)
    return (outcome, try read(file.path))
  }

  func testEveryStepBehavesOnBothEngines() throws {
    for engine in ["plans", "libffi"] {
      let outcome = try run(["--json", "--engine", engine])
      XCTAssertEqual(outcome.status, 0, outcome.output)
      XCTAssertEqual(outcome.errors, "")
      XCTAssertEqual(outcome.output.filter { $0 == "\n" }.count, 1)
      let document = try CommandLineTool.document(outcome.output)
      let steps = try XCTUnwrap(document["steps"] as? [[String: Any]])
      XCTAssertEqual(steps.map { $0["name"] as? String }, Self.names)
      for step in steps { XCTAssertEqual(step["ok"] as? Bool, true, "\(step)") }
      XCTAssertNil(document["trace"])
    }
  }

  func testOneStepIsShownAlone() throws {
    let outcome = try run(["--step", "typed"])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertTrue(outcome.output.hasPrefix("BlockRuntime: hooks in depth\n\n 1. A closure"))
    XCTAssertTrue(outcome.output.contains("    ✓ add(3, 4.5), wrapped = 80\n"), outcome.output)
    XCTAssertTrue(outcome.output.hasSuffix("\n✓ the step behaved\n"), outcome.output)
  }

  func testATraceAsTextIsIndentedByDepth() throws {
    let (outcome, trace) = try tracing("text", ["--step", "trace"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertTrue(outcome.output.contains("\ntrace: 3 calls in /"), outcome.output)
    let lines = trace.split(separator: "\n")
    XCTAssertEqual(lines.count, 4, trace)
    XCTAssertTrue(lines[0].hasPrefix("       duration   thread  call, indented "), trace)
    let first = /^ +[\d.]+ [mµn]?s +\d+    Exhibits\.init › closure #1/
    XCTAssertNotNil(lines[1].firstMatch(of: first), trace)
    XCTAssertTrue(lines[1].hasSuffix("(i32 20, double 0.5) = i32 20"), trace)
    XCTAssertTrue(lines[2].contains(/\d  __cdemo_make_scaling_block_block_invoke/), trace)
    XCTAssertTrue(lines[2].hasSuffix("(i32 20) = i32 21"), trace)
  }

  func testATraceAsJSONHasADocumentPerCall() throws {
    let (outcome, trace) = try tracing("json", ["--step", "trace", "--json"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    let document = try CommandLineTool.document(outcome.output)
    let summary = try XCTUnwrap(document["trace"] as? [String: Any])
    XCTAssertEqual(summary["format"] as? String, "json")
    XCTAssertEqual(summary["written"] as? Int, 3)
    XCTAssertEqual(summary["lost"] as? Int, 0)
    let calls = try trace.split(separator: "\n").map { try CommandLineTool.document(String($0)) }
    XCTAssertEqual(calls.map { $0["depth"] as? Int }, [1, 0, 0])
    XCTAssertEqual(calls.map { $0["result"] as? String }, ["i32 20", "i32 21", "i32 7"])
  }

  func testATraceForPerfettoHasASliceForEachCall() throws {
    try XCTSkipIf(isEmulated, "the writer cannot keep up, and lost calls are a failure")
    let (outcome, trace) = try tracing("perfetto") { try PerfettoFile(path: $0) }
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertTrue(outcome.output.contains("open it at https://ui.perfetto.dev\n"), outcome.output)
    XCTAssertGreaterThan(trace.slices.count, 50)
    XCTAssertTrue(trace.slices.allSatisfy { $0.duration != nil && $0.thread > 0 })
  }

  func testATraceAsAPageHoldsTheCalls() throws {
    let (outcome, trace) = try tracing("html", ["--step", "trace"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertTrue(outcome.output.contains("0 lost; open it in a browser\n"), outcome.output)
    XCTAssertTrue(trace.hasPrefix("<!doctype html>"))
    let parts = trace.components(separatedBy: "id=\"trace\">")
    let data = try XCTUnwrap(parts.last?.components(separatedBy: "</script>").first)
    let page = try CommandLineTool.document(data)
    XCTAssertEqual(page["count"] as? Int, 3)
    let texts = try XCTUnwrap(page["texts"] as? [String])
    XCTAssertTrue(Set(texts).isSuperset(of: ["i32 20", "i32 21", "i32 7"]), "\(texts)")
  }

  func testWrongUsageIsExplained() throws {
    let rows: [([String], String)] = [
      (["--step", "nothing"], "there is no step nothing; the steps are intercept, removal"),
      (["--trace", "html"], "--trace takes a format (text, json, perfetto or html) and a file"),
      (["--trace", "chrome", "file"], "the format chrome is gone: use --trace perfetto FILE"),
      (["--trace", "xml", "file"], "--trace takes a format"),
      (["--trace", "json", "a", "b"], "--trace takes a format"),
    ]
    for (arguments, message) in rows {
      let outcome = try run(arguments)
      XCTAssertEqual(outcome.status, 64, "\(arguments)")
      XCTAssertEqual(outcome.output, "", "\(arguments)")
      XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
    }
  }

  func testAFileThatCannotBeWrittenIsAFailure() throws {
    let outcome = try run(["--trace", "json", "/nowhere/at/all"])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(
      outcome.errors.hasPrefix("hook-demo: outputUnavailable: /nowhere/at/all: "), outcome.errors)
    let full = try run(
      ["--step", "trace", "--trace", "json", "/dev/full", "--json"])
    XCTAssertEqual(full.status, 1)
    XCTAssertTrue(full.errors.contains("3 calls could not be written to /dev/full; "), full.errors)
    XCTAssertTrue(full.output.hasSuffix("}\n"), full.output)
    XCTAssertEqual(try CommandLineTool.document(full.output)["ok"] as? Bool, false)
    let trace = try CommandLineTool.document(full.output)["trace"] as? [String: Any]
    XCTAssertEqual(trace?["lost"] as? Int, 3)
    XCTAssertEqual(trace?["written"] as? Int, 0)
  }
}
#endif
