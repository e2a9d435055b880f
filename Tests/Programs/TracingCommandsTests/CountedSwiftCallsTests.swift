#if Everything
import CallTracing
import Foundation
import TestSupport
import XCTest

/// Calls of Swift functions that are counted, of a program that counts them itself.
final class CountedSwiftCallsTests: XCTestCase {
  private static let flags = [
    "-module-name", "Shop", "-Xfrontend", "-enable-implicit-dynamic",
  ]

  /// The counts of a traced run, by short names.
  private func counts(
    _ program: TracedProgram, _ pattern: String
  ) throws -> (outcome: CommandLineTool.Outcome, counts: [String: Int]) {
    let file = NSTemporaryDirectory() + "counts-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let run = try program.trace(["--swift-calls", pattern, "--tables", file])
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    let document = try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let schema = try JSONSchema(Data(PackageFiles.text("Docs/trace-tables.schema.json").utf8))
    XCTAssertEqual(try schema.faults(of: document), [])
    var counts: [String: Int] = [:]
    for row in try XCTUnwrap(document["swiftCalls"] as? [[String: Any]]) {
      counts[try XCTUnwrap(row["shortName"] as? String), default: 0] += row["count"] as? Int ?? 0
    }
    return (run.outcome, counts)
  }

  private func assertEveryCallIsCounted(_ options: [String]) throws {
    let program = try TracedProgram(self, file: "counted.swift", options + Self.flags)
    let untraced = try CommandLineTool.run([], executable: URL(fileURLWithPath: program.path))
    let (outcome, counts) = try counts(program, "Shop.*")
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    // Arguments and results pass as without the tracer.
    XCTAssertEqual(outcome.output, untraced.output)
    var own: [String: Int] = [:]
    for line in outcome.output.split(separator: "\n") {
      let parts = line.split(separator: "=")
      if parts.count == 2 { own[String(parts[0])] = Int(parts[1]) }
    }
    XCTAssertEqual(own.count, 23)
    XCTAssertEqual(counts.filter { own[$0.key] != nil }, own)
    XCTAssertEqual(counts["count"], own.values.reduce(0, +))
    let row = try XCTUnwrap(outcome.errors.split(separator: "\n").first { $0.hasSuffix(" plain") })
    XCTAssertEqual(row.split(separator: " "), ["2003", "plain"])
  }

  func testEveryCallOfAnOptimisedProgramIsCounted() throws { try assertEveryCallIsCounted(["-O"]) }

  func testEveryCallOfAnUnoptimisedProgramIsCounted() throws {
    try assertEveryCallIsCounted(["-Onone"])
  }

  func testOnlyFunctionsThatThePatternSelectsAreCounted() throws {
    let program = try TracedProgram(self, file: "counted.swift", ["-O"] + Self.flags)
    XCTAssertEqual(
      try counts(program, "Shop.Animal.[ls]*").counts,
      ["Animal.last": 1, "Animal.secret": 1, "Animal.sound": 1])
    // A pattern may begin with any text.
    XCTAssertEqual(try counts(program, "*throwing*").counts, ["throwing": 2000])
  }

  func testCallsOfForksAndOfProgramsThatAShellStartsAreAddedUp() throws {
    let program = try TracedProgram(
      self,
      swift: """
        import Glibc
        @_silgen_name("fork") func startChild() -> Int32
        func counted() {}
        for _ in 0..<3 { counted() }
        if startChild() == 0 {
          for _ in 0..<10 { counted() }
          _exit(0)
        }
        wait(nil)
        if CommandLine.arguments.count > 1 { abort() }
        """, ["-O"] + Self.flags)
    XCTAssertEqual(try counts(program, "Shop.counted").counts, ["counted": 13])
    let script = "\(program.path) & \(program.path); wait"
    let outcome = try CommandLineTool.run([
      "trace", "--quiet", "--swift-calls", "Shop.counted", "--", "sh", "-c", script,
    ])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertTrue(outcome.errors.contains("26     counted\n"), outcome.errors)
    // A crash loses nothing.
    let crash = try CommandLineTool.run(
      ["trace", "--quiet", "--swift-calls", "Shop.counted", "--", program.path, "crash"],
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    XCTAssertEqual(crash.status, 128 + SIGABRT)
    XCTAssertTrue(crash.errors.contains("13     counted\n"), crash.errors)
  }

  func testAProgramWithoutSuchFunctionsDoesNotBeginAndTheMessageSaysWhatItLacks() throws {
    let source = "print(\"ran\")\nfunc unused() {}"
    let plain = try TracedProgram(self, swift: source, ["-module-name", "Shop"])
    let dynamic = try TracedProgram(self, swift: source, Self.flags)
    let stripped = try TracedProgram(self, swift: source, Self.flags + ["-Xlinker", "-s"])
    for (program, pattern, words) in [
      (plain, "Shop.*", "-Xswiftc -Xfrontend -Xswiftc -enable-implicit-dynamic"),
      (
        dynamic, "Shp.*",
        "no function matches Shp.*; these have functions whose calls can be counted: Shop.*"
      ),
      (stripped, "Shop.*", "do not strip it"),
    ] {
      let run = try program.trace(["--swift-calls", pattern])
      XCTAssertEqual(run.outcome.status, 1)
      XCTAssertEqual(run.outcome.output, "")
      XCTAssertTrue(run.outcome.errors.contains(words), run.outcome.errors)
      XCTAssertTrue(run.outcome.errors.contains("was not started"), run.outcome.errors)
    }
  }

  func testAFunctionThatTheProgramReplacesItselfIsCounted() throws {
    let program = try TracedProgram(
      self,
      swift: """
        dynamic func replaced() -> Int { 1 }
        func plain() -> Int { replaced() }
        @_dynamicReplacement(for: replaced()) func replacement() -> Int { replaced() + 1 }
        print(plain())
        """, ["-O"] + Self.flags)
    for option in ["--swift-calls", "--swift-durations"] {
      let run = try program.trace([option, "Shop.*"])
      XCTAssertEqual(run.outcome.output, "2\n")
      XCTAssertTrue(run.outcome.errors.contains("1      plain\n"), run.outcome.errors)
      // By its replacement, too.
      XCTAssertTrue(run.outcome.errors.contains("2      replaced\n"), run.outcome.errors)
    }
  }

  func testAProgramWithTheSwiftRuntimeInsideIsRefused() throws {
    #if compiler(<6.3)
    throw XCTSkip("Debian's Swift has no library to link statically")
    #else
    let source = "func unused() {}"
    let program = try TracedProgram(self, swift: source, Self.flags + ["-static-stdlib"])
    let outcome = try CommandLineTool.run(["trace", "--swift-calls", "Shop.*", "--", program.path])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(outcome.errors.contains("link it without -static-stdlib"), outcome.errors)
    #endif
  }

  func testAProgramThatStartsNoOtherAndIsNoneOfSwiftSaysThatNothingWasCounted() throws {
    let outcome = try CommandLineTool.run([
      "trace", "--quiet", "--swift-calls", "Shop.*", "--", "sh", "-c", "true",
    ])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertTrue(outcome.errors.contains("no call of Shop.* was counted"), outcome.errors)
  }
}
#endif
