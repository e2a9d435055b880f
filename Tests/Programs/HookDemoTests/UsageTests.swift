#if Everything
import TestSupport
import XCTest

final class UsageTests: XCTestCase {
  private static let wrong = [
    ["encoding"], ["signature"], ["encoding", "i", "i"], ["encoding", "-x"],
    ["encoding", "--bogus", "i"], ["signature", "--offset", "v"], ["bogus"], ["tour", "bogus"],
    ["tour", "--bogus"], ["--bogus"], ["call"], ["call", "--bogus"], ["call", "--fixed", "x"],
    ["call", "--fixed"], ["call", "--batch"], ["help", "nope"], ["tell"], ["tell", "1", "bogus"],
  ]

  func testWrongUsageExitsWith64AndExplainsOnStandardError() throws {
    for arguments in Self.wrong {
      let outcome = try CommandLineTool.run(arguments)
      XCTAssertEqual(outcome.status, 64, "\(arguments)")
      XCTAssertEqual(outcome.output, "", "\(arguments)")
      XCTAssertTrue(outcome.errors.contains("Usage: hook-demo"), outcome.errors)
    }
  }

  func testWrongUsageWithJSONIsADocumentToo() throws {
    for arguments in Self.wrong {
      let outcome = try CommandLineTool.run(arguments + ["--json"])
      XCTAssertEqual(outcome.status, 64, "\(arguments)")
      XCTAssertTrue(
        outcome.output.hasPrefix(#"{"error":{"code":"usage","message":""#), outcome.output)
      let document = try CommandLineTool.document(outcome.output)
      let error = try XCTUnwrap(document["error"] as? [String: Any])
      XCTAssertNil(error["offset"])
    }
  }

  func testAValueNamedJSONDoesNotAskForJSON() throws {
    let outcome = try CommandLineTool.run(["encoding", "i", "--", "--json"])
    XCTAssertEqual(outcome.status, 64)
    XCTAssertEqual(outcome.output, "")
  }

  func testHelpOfEveryCommandTeachesWithExamples() throws {
    let examples = [
      [String](): "hook-demo encoding '{CGPoint=\"x\"d\"y\"d}'", ["tour"]: "hook-demo tour --json",
      ["encoding"]: "hook-demo encoding -- '-x'",
      ["hook"]: "hook-demo hook --trace perfetto calls",
      ["delay"]: "hook-demo delay --count 1000 --spread 500",
      ["signature"]: "hook-demo signature 'i20@?0i8d12'",
      ["call"]: "hook-demo call libm.so.6 pow ddd 2 10",
    ]
    for (command, example) in examples {
      let outcome = try CommandLineTool.run(command + ["--help"])
      XCTAssertEqual(outcome.status, 0, "\(command)")
      XCTAssertEqual(outcome.errors, "", "\(command)")
      XCTAssertTrue(outcome.output.contains("EXAMPLES\n"), outcome.output)
      XCTAssertTrue(outcome.output.contains(example), outcome.output)
      XCTAssertTrue(outcome.output.contains("USAGE: hook-demo"), outcome.output)
    }
  }

  func testExamplesOfTheHelpFitTheirLines() throws {
    let overview = try CommandLineTool.run(["--help"]).output
    let commands = overview.components(separatedBy: "SUBCOMMANDS:\n").last?
      .split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }.dropLast()
    XCTAssertEqual(commands?.count, 12)
    for command in [[]] + (commands ?? []).map({ [$0] }) {
      let help = try CommandLineTool.run(command + ["--help"]).output
      let examples = help.components(separatedBy: "EXAMPLES\n").last?
        .components(separatedBy: "\n\n").first
      for line in (examples ?? "").split(separator: "\n") {
        XCTAssertTrue(line.hasPrefix("  "), "\(command): \(line)")
      }
    }
  }

  func testDescriptionsOfTheOverviewsExamplesAreInOneColumn() throws {
    let overview = try CommandLineTool.run(["--help"]).output
    let lines =
      overview.components(separatedBy: "EXAMPLES\n").last?
      .components(separatedBy: "\n\n").first?.split(separator: "\n") ?? []
    XCTAssertGreaterThan(lines.count, 10)
    let columns = lines.map { line in
      line.matches(of: /\S {2,}/).first.map {
        line.distance(from: line.startIndex, to: $0.range.upperBound)
      }
    }
    XCTAssertEqual(Set(columns).count, 1, "\(columns)")
  }

  func testAnUnknownEngineInTheEnvironmentIsRefused() throws {
    for command in [["tour"], ["hook"], ["call", "-", "abs", "ii", "-5"]] {
      let outcome = try CommandLineTool.run(command, environment: ["BLOCKRUNTIME_ENGINE": "plan"])
      XCTAssertEqual(outcome.status, 64, "\(command)")
      XCTAssertTrue(outcome.errors.contains("there is no engine plan; use plans or libffi"))
    }
    let empty = try CommandLineTool.run(
      ["call", "-", "abs", "ii", "-5"], environment: ["BLOCKRUNTIME_ENGINE": ""])
    XCTAssertEqual(empty.output, "5\n")
  }

  func testAMisspeltSubcommandIsNamed() throws {
    for (word, meant) in [("obsrve", "observe"), ("tuor", "tour"), ("Signature", "signature")] {
      let outcome = try CommandLineTool.run([word])
      XCTAssertEqual(outcome.status, 64)
      XCTAssertTrue(
        outcome.errors.hasPrefix("Error: There is no subcommand \(word); \(meant) may be meant."),
        outcome.errors)
      XCTAssertTrue(outcome.errors.contains("Usage: hook-demo <subcommand>"), outcome.errors)
    }
    XCTAssertFalse(try CommandLineTool.run(["elephant"]).errors.contains("meant"))
  }

  func testEveryExampleOfTheHelpRuns() throws {
    for command in ["encoding", "signature"] {
      let help = try CommandLineTool.run([command, "--help"]).output
      let lines = help.split(separator: "\n").filter { $0.hasPrefix("  hook-demo ") }
      XCTAssertGreaterThanOrEqual(lines.count, 5)
      for line in lines where !line.contains(" -- ") {
        let words = line.dropFirst("  hook-demo ".count).split(separator: " ")
        let count = words.contains("--json") ? 3 : 2
        let arguments = words.prefix(count).map { $0.filter { $0 != "'" } }
        XCTAssertEqual(try CommandLineTool.run(arguments).status, 0, "\(line)")
      }
    }
  }
}
#endif
