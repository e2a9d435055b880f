#if Everything
import Foundation
import TestSupport
import XCTest

/// When a trace was made, how long it lasted, and how often something happened: in tables and files.
final class TraceTimesTests: XCTestCase {
  private static let source = """
    #include <dispatch/dispatch.h>
    #include <unistd.h>
    int main(void) {
      dispatch_queue_t queue = dispatch_queue_create("c.often", NULL);
      for (int i = 0; i < 40; i++) dispatch_sync(queue, ^{ usleep(1000); });
      return 0;
    }
    """

  private func nanoseconds(_ date: Date) -> UInt64 { UInt64(date.timeIntervalSince1970 * 1e9) }

  func testDocumentsAndPagesTellTheTimeOfDay() throws {
    let program = try TracedProgram(self, c: Self.source)
    let directory = NSTemporaryDirectory() + "times-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    func read(_ name: String) throws -> String {
      try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
    }
    let before = nanoseconds(Date())
    let outcome = try CommandLineTool.run([
      "trace", "--quiet", "--json", "\(directory)/json", "--perfetto",
      "\(directory)/perfetto", "--html", "\(directory)/html", "--tables", "\(directory)/tables",
      "--", program.path, "a",
      "<b>",
    ])
    let after = nanoseconds(Date())
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    let rows = try read("json").split(separator: "\n").map {
      try CommandLineTool.document(String($0))
    }
    let starts = rows.compactMap { ($0["start"] as? NSNumber)?.uint64Value }
    let times = rows.compactMap { ($0["unix"] as? NSNumber)?.uint64Value }
    XCTAssertGreaterThanOrEqual(times.count, 40)
    XCTAssertTrue(times.allSatisfy { before < $0 && $0 < after }, "\(times)")
    let zero = try XCTUnwrap(zip(times, starts).map { $0 &- $1 }.first)
    XCTAssertTrue(zip(times, starts).allSatisfy { $0 &- $1 == zero })
    let wallClock = try PerfettoFile(path: "\(directory)/perfetto").wallClock
    XCTAssertFalse(wallClock.isEmpty)
    XCTAssertTrue(wallClock.allSatisfy { $0.unix &- $0.time == zero }, "\(wallClock)")
    let page = try read("html")
    XCTAssertTrue(page.contains(#""title":"\#(program.path) a \u003cb>""#), "\(page.count)")
    XCTAssertTrue(page.contains(#""unix":\#(try XCTUnwrap(times.first))"#))
    let tables = try CommandLineTool.document(try read("tables"))
    let began = try XCTUnwrap((tables["unix"] as? NSNumber)?.uint64Value)
    XCTAssertTrue(before < began && began < times[0], "\(began)")
    let duration = try XCTUnwrap((tables["duration"] as? NSNumber)?.uint64Value)
    XCTAssertGreaterThan(duration, 40_000_000)
    XCTAssertLessThan(duration, after - before)
  }

  func testTablesTellHowLongTheTraceLastedAndHowOftenWhatWasCalled() throws {
    let program = try TracedProgram(self, c: Self.source)
    let errors = try CommandLineTool.run(["trace", "--count", "--", program.path]).errors
    let lasted = try XCTUnwrap(errors.firstMatch(of: /; it lasted (\d+\.\d{3}) s/), errors)
    let duration = try XCTUnwrap(Double(lasted.output.1))
    XCTAssertGreaterThan(duration, 0.04)
    // The rate is before the name, and the kind of a queue behind it: none failed to run.
    for (name, place) in [("__main_block_invoke", 1), ("c.often (serial)", 2)] {
      let row = try XCTUnwrap(
        errors.split(separator: "\n").first { $0.hasSuffix(" \(name)") }, errors)
      let rate = try XCTUnwrap(Double(row.split(separator: " ").dropLast(place).last ?? ""))
      // The duration is cut to milliseconds, and the rate rounded to tenths.
      XCTAssertEqual(rate * duration, 40, accuracy: rate * 0.001 + duration * 0.05, "\(row)")
    }
  }
}
#endif
