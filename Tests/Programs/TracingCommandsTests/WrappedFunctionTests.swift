#if Everything
import BlockABI
import Foundation
import TestSupport
import XCTest

@testable import TracingCommands

/// Programs that contain the tracer, and the functions whose calls the linker leads to it.
final class WrappedFunctionTests: XCTestCase {
  func testTheCommandPrintsAFlagForEachFunction() throws {
    let outcome = try CommandLineTool.run(["trace", "--linker-flags"])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    let words = outcome.output.split(whereSeparator: \.isWhitespace)
    XCTAssertEqual(words.count { $0 == "-Xlinker" }, words.count / 2)
    let wrapped = words.filter { $0.hasPrefix("--wrap=") }.map { String($0.dropFirst(7)) }
    XCTAssertEqual(wrapped, WrappedFunctions.names + ["__libc_start_main"])
    XCTAssertEqual(Set(wrapped).count, wrapped.count)
  }

  func testEveryFunctionThatTheTracerHooksIsWrapped() throws {
    // In these sources the names of functions are those that are hooked.
    let folders = ["QueueTracing/Queues", "QueueTracing/Tasks", "SymbolInterposing/EveryBlock"]
    // Those that send blocks or functions to queues have the names of the ways in which they do.
    var hooked = Set(SubmissionWay.allCases.filter(\.isHandler).map { $0.function + "_f" })
    for folder in folders.map({ PackageFiles.root.appendingPathComponent("Sources/Tracing/\($0)") })
    {
      for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        let names = text.matches(of: /"((?:_Block_|dispatch_|swift_[a-z]|\$sSc[A-Z])\w+)"/)
        hooked.formUnion(names.map { String($0.output.1) })
        for found in text.matches(of: /(BlockFunction\(|Sender\(way: )\.(\w+),/) {
          let way = try XCTUnwrap(SubmissionWay.allCases.first { "\($0)" == found.output.2 })
          hooked.insert(way.function + (found.output.1 == "BlockFunction(" ? "" : "_f"))
        }
      }
    }
    XCTAssertGreaterThan(hooked.count, 50)
    XCTAssertEqual(hooked.subtracting(WrappedFunctions.names).sorted(), [])
  }

  func testAProgramWithTheNoteOfTheTracerIsNotRefusedForWhatItContains() throws {
    let files = try CompiledFiles(self)
    let functions = """
      void dispatch_async(void *queue, void *block) {}
      int main(void) { return 0; }
      """
    let note = """
      __attribute__((section(".note.blockruntime"), used, aligned(4)))
      static const struct { unsigned sizes[3]; char name[16]; int version; } note = {
          {13, 4, 1}, "BlockRuntime", 1};
      """
    let plain = try files.compile("plain", source: functions)
    XCTAssertThrowsError(try ProgramInspection(plain)) { error in
      XCTAssertTrue("\(error)".contains("StaticTracing"), "\(error)")
    }
    let tracing = try files.compile("tracing", source: "\(note)\n\(functions)")
    XCTAssertTrue(try ProgramInspection(tracing).containsTracer)
    let stripped = try files.compile("stripped", ["-s"], source: "\(note)\n\(functions)")
    let inspection = try ProgramInspection(stripped)
    XCTAssertTrue(inspection.containsTracer)
    XCTAssertTrue(inspection.notes.contains { $0.contains("is stripped") }, "\(inspection.notes)")
  }
}
#endif
