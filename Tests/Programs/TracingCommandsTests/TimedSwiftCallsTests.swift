#if Everything
import CallTracing
import Foundation
import TestSupport
import XCTest

/// Calls of Swift functions that are recorded with their durations.
final class TimedSwiftCallsTests: XCTestCase {
  private static let flags = [
    "-module-name", "Shop", "-Xfrontend", "-enable-implicit-dynamic",
  ]

  private func assertCallsAreRecorded(_ options: [String]) throws {
    let program = try TracedProgram(self, file: "counted.swift", options + Self.flags)
    let untraced = try CommandLineTool.run([], executable: URL(fileURLWithPath: program.path))
    let tables = NSTemporaryDirectory() + "timed-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: tables) }
    let run = try program.trace(["--swift-durations", "Shop.*", "--tables", tables])
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    // Arguments, results and errors pass as without the tracer.
    XCTAssertEqual(run.outcome.output, untraced.output)
    var recorded: [String: Int] = [:]
    for row in run.rows { recorded[row.shortName, default: 0] += 1 }
    for line in run.outcome.output.split(separator: "\n") {
      let parts = line.split(separator: "=")
      guard parts.count == 2, let calls = Int(parts[1]) else { continue }
      switch parts[0] {
      // They end elsewhere.
      case "later", "Shelf.content.modify": XCTAssertNil(recorded[String(parts[0])])
      // Of calls inside of each other 64 are recorded, of which `main` may be one.
      case "recursive": XCTAssertTrue((63...64).contains(recorded["recursive"] ?? 0))
      default: XCTAssertEqual(recorded[String(parts[0])], calls, "\(parts[0])")
      }
    }
    let twice = try XCTUnwrap(run.rows.first { $0.shortName == "Animal.last" })
    let inside = try XCTUnwrap(run.rows.first { $0.shortName == "Animal.secret" })
    XCTAssertEqual(inside.depth, twice.depth + 1)
    XCTAssertGreaterThanOrEqual(inside.start, twice.start)
    XCTAssertLessThanOrEqual(inside.start + inside.duration, twice.start + twice.duration)
    let document = try CommandLineTool.document(String(contentsOfFile: tables, encoding: .utf8))
    let functions = try XCTUnwrap(document["functions"] as? [[String: Any]])
    let counted = try XCTUnwrap(document["swiftCalls"] as? [[String: Any]])
    for (rows, name, count) in [
      (functions, "plain", 2003), (counted, "plain", 2003), (counted, "recursive", 101),
      (counted, "later", 50), (counted, "Shelf.content.modify", 1),
    ] {
      let row = rows.first { $0["shortName"] as? String == name }
      XCTAssertEqual(row?["count"] as? Int, count, name)
    }
  }

  func testCallsOfAnOptimisedProgramAreRecorded() throws { try assertCallsAreRecorded(["-O"]) }

  func testCallsOfAnUnoptimisedProgramAreRecorded() throws {
    try assertCallsAreRecorded(["-Onone"])
  }

  func testFunctionsThatAreCountedOnlyAreNotRecorded() throws {
    let program = try TracedProgram(self, file: "counted.swift", ["-O"] + Self.flags)
    let run = try program.trace([
      "--swift-calls", "Shop.*", "--swift-durations", "Shop.Animal.*", "--symbol", "none",
    ])
    XCTAssertEqual(
      Set(run.rows.map(\.shortName)),
      [
        "Animal.init", "Animal.last", "Animal.make", "Animal.secret", "Animal.sound",
        "Animal.twice.getter",
      ])
    XCTAssertTrue(run.outcome.errors.contains("2003   plain\n"), run.outcome.errors)
  }

  func testACrashShowsTheCallThatHadNotEndedAndACallThatTheEndOfItsThreadLeavesEndsThere() throws {
    let program = try TracedProgram(
      self,
      swift: """
        import Glibc
        func stop() { abort() }
        func work(_ number: Int) -> Int { number + 1 }
        func leave(_ thread: Int) { if thread > 0 { pthread_exit(nil) } }
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in leave(work(0)); return nil }, nil)
        pthread_join(thread, nil)
        print(work(1))
        fflush(nil)
        stop()
        """, ["-O"] + Self.flags)
    let crash = try CommandLineTool.run(
      ["trace", "--swift-durations", "Shop.*", "--", program.path],
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    XCTAssertEqual(crash.status, 128 + SIGABRT)
    XCTAssertEqual(crash.output, "2\n")
    XCTAssertTrue(crash.errors.contains("had not ended: stop()\n"), crash.errors)
    XCTAssertTrue(crash.errors.contains("2      work\n"), crash.errors)
  }

  func testAProgramWhoseSelectedFunctionsAllEndElsewhereDoesNotBegin() throws {
    let program = try TracedProgram(self, file: "counted.swift", ["-O"] + Self.flags)
    let run = try program.trace(["--swift-durations", "Shop.later"])
    XCTAssertEqual(run.outcome.status, 1)
    XCTAssertTrue(run.outcome.errors.contains("count them with --swift-calls"), run.outcome.errors)
  }
}
#endif
