#if Everything
import Foundation
import TestSupport
import XCTest

/// The tables of a trace as a JSON document, and the schema that describes it.
final class TableDocumentTests: XCTestCase {
  private func schema() throws -> JSONSchema {
    try JSONSchema(Data(PackageFiles.text("Docs/trace-tables.schema.json").utf8))
  }

  /// The document of a run, which must be as the schema says.
  private func document(
    _ program: TracedProgram, _ options: [String] = []
  ) throws -> [String: Any] {
    let path = NSTemporaryDirectory() + "tables-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let run = try program.trace(["--tables", path] + options)
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    XCTAssertEqual(data.filter { $0 == UInt8(ascii: "\n") }.count, 1)
    let document = try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? [String: Any])
    XCTAssertEqual(try schema().faults(of: document), [])
    return document
  }

  private func rows(_ document: [String: Any], _ table: String) throws -> [[String: Any]] {
    try XCTUnwrap(document[table] as? [[String: Any]], table)
  }

  func testTheDocumentOfAProgramOfQueuesIsAsTheSchemaSays() throws {
    let program = try TracedProgram(self, c: QueueProgram.source, [])
    let document = try document(program, ["--function", "getenv", "--sort", "calls"])
    XCTAssertEqual(document["lost"] as? Int, 0)
    let blocks = try rows(document, "blocks")
    let async = try XCTUnwrap(
      blocks.first { $0["shortName"] as? String == "__by_async_block_invoke" })
    XCTAssertEqual(async["count"] as? Int, 1)
    let wait = try XCTUnwrap(async["wait"] as? [String: Any])
    XCTAssertEqual(wait["count"] as? Int, 1)
    XCTAssertEqual(wait["longest"] as? Int, wait["total"] as? Int)
    let counts = blocks.compactMap { $0["count"] as? Int }
    XCTAssertEqual(counts, counts.sorted(by: >))
    let queues = try rows(document, "queues")
    let suspended = try XCTUnwrap(queues.first { $0["label"] as? String == "c.suspended" })
    XCTAssertEqual(suspended["count"] as? Int, 0)
    XCTAssertGreaterThan(suspended["notRun"] as? Int ?? 0, 0)
    let waits = try rows(document, "waits").compactMap { $0["function"] as? String }
    XCTAssertTrue(waits.contains("dispatch_sync"), "\(waits)")
    XCTAssertEqual(try rows(document, "tasks").count, 0)
  }

  func testTheDocumentOfAProgramOfTasksIsAsTheSchemaSays() throws {
    let document = try document(TracedProgram(self, swift: TaskProgram.source, ["-Onone"]))
    let tasks = try rows(document, "tasks")
    let busy = try XCTUnwrap(tasks.first { $0["shortName"] as? String == "busy › closure #1" })
    XCTAssertEqual(busy["tasks"] as? Int, 1)
    XCTAssertEqual(busy["count"] as? Int, 4)
    let suspended = try XCTUnwrap(busy["suspended"] as? [String: Any])
    XCTAssertGreaterThan(suspended["continuation"] as? Int ?? 0, 0)
  }

  func testTasksThatAreStuckAreInEveryDocument() throws {
    try XCTSkipIf(isEmulated, "an interruption ends the emulator of hook-demo")
    let program = try TracedProgram(self, file: "forever.swift")
    let path = NSTemporaryDirectory() + "stuck-\(UUID().uuidString)"
    let files = ["tables", "json", "perfetto", "html"].map { "\(path).\($0)" }
    defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
    let options = zip(["--tables", "--json", "--perfetto", "--html"], files).flatMap { [$0, $1] }
    // The others' sleeps may last when it is asked for the first time.
    _ = try program.errors(["--quiet"] + options) { text in
      let last = text.components(separatedBy: "for ms").last ?? ""
      return last.contains("(request 7)") && last.components(separatedBy: "(request").count == 2
    }
    let document = try XCTUnwrap(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: files[0])))
        as? [String: Any])
    XCTAssertEqual(try schema().faults(of: document), [])
    let unfinished = try rows(document, "unfinished")
    XCTAssertEqual(Set(unfinished.map { $0["state"] as? String }), ["suspended"])
    let request = try XCTUnwrap(unfinished.first { $0["taskName"] as? String == "request 7" })
    XCTAssertEqual(request["suspension"] as? String, "continuation")
    XCTAssertEqual(request["from"] as? String, "M.main › closure #1")
    XCTAssertEqual((request["suspendedIn"] as? [String])?.first, "Store.load")
    let stuck = try TracedRow.rows(inFile: files[1]).filter { $0.outcome == "suspended" }
    XCTAssertEqual(stuck.filter { $0.suspension == "continuation" }.map(\.taskName), ["request 7"])
    XCTAssertEqual(stuck.map(\.duration), [0, 0])
    let slices = try PerfettoFile(path: files[2]).slices
    XCTAssertTrue(slices.contains { $0.texts["outcome"] == "suspended" }, "\(slices)")
    let page = try String(contentsOfFile: files[3], encoding: .utf8)
    XCTAssertTrue(page.contains(#""outcome":"suspended""#))
  }

  func testFunctionsHaveATableOfTheirOwn() throws {
    let source = """
      #include <stdlib.h>
      #include <dispatch/dispatch.h>
      int main(void) {
        for (int i = 0; i < 3; i++) (void)getenv("HOME");
        dispatch_sync(dispatch_get_global_queue(0, 0), ^{ });
        return 0;
      }
      """
    let document = try document(TracedProgram(self, c: source, []), ["--function", "getenv"])
    let functions = try rows(document, "functions")
    XCTAssertEqual(functions.compactMap { $0["name"] as? String }, ["getenv"])
    XCTAssertEqual(functions.compactMap { $0["count"] as? Int }, [3])
    XCTAssertEqual(try rows(document, "blocks").count, 1)
  }

  func testTheSchemaFindsWhatItDoesNotDescribe() throws {
    let program = try TracedProgram(self, c: QueueProgram.source, [])
    var document = try document(program)
    document["calls"] = "many"
    document["blocks"] = [["name": 1]]
    document["more"] = true
    let faults = try schema().faults(of: document)
    XCTAssertTrue(faults.contains("/calls is of type string"), "\(faults)")
    XCTAssertTrue(faults.contains("/blocks/0/name is of type integer"), "\(faults)")
    XCTAssertTrue(faults.contains("/blocks/0/own is missing"), "\(faults)")
    XCTAssertTrue(faults.contains("/more is not described"), "\(faults)")
  }

  func testOneFileForTwoOutputsIsRefused() throws {
    let directory = NSTemporaryDirectory()
    let name = "one-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory + name) }
    let program = try TracedProgram(self, c: QueueProgram.source, [])
    let options = ["trace", "--tables", directory + name, "--perfetto", "\(directory)./\(name)"]
    let outcome = try CommandLineTool.run(options + ["--", program.path])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(outcome.errors.contains("are one file; give each output"), outcome.errors)
    XCTAssertEqual(outcome.output, "")
  }

  func testTablesThatCannotBeWrittenAreSaidToBe() throws {
    let program = try TracedProgram(self, c: QueueProgram.source, [])
    let run = try program.trace(["--tables", "/dev/full"])
    XCTAssertTrue(
      run.outcome.errors.contains("the tables could not be written"), run.outcome.errors)
  }
}
#endif
