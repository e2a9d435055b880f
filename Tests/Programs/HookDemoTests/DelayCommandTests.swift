#if Everything
import Foundation
import TestSupport
import XCTest

/// Nothing here says how late a block may be: that is the machine's affair.
final class DelayCommandTests: XCTestCase {
  private func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> CommandLineTool.Outcome {
    try CommandLineTool.run(
      ["delay"] + arguments,
      environment: environment)
  }

  /// Runs the command with `--json`, and checks what holds for every run.
  private func document(
    _ arguments: [String]
  ) throws -> (
    events: [[String: Any]], summary: [String: Any]
  ) {
    let outcome = try run(arguments + ["--json"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertEqual(outcome.errors, "")
    XCTAssertEqual(outcome.output.filter { $0 == "\n" }.count, 1)
    let document = try CommandLineTool.document(outcome.output)
    XCTAssertEqual(Set(document.keys), ["events", "summary", "ok"])
    XCTAssertEqual(document["ok"] as? Bool, true)
    return (
      try XCTUnwrap(document["events"] as? [[String: Any]]),
      try XCTUnwrap(document["summary"] as? [String: Any])
    )
  }

  func testEveryBlockRunsOnceOrIsCancelled() throws {
    for (count, spread) in [(1, 1), (2, 1), (9, 200), (300, 20), (10_000, 1)] {
      let (events, summary) = try document(["--count", "\(count)", "--spread", "\(spread)"])
      var ends: [Int: [String]] = [:]
      for event in events {
        XCTAssertEqual(
          Set(event.keys), ["block", "event", "at_ms", "due_ms", "lateness_us"], "\(event)")
        let block = try XCTUnwrap(event["block"] as? Int)
        let kind = try XCTUnwrap(event["event"] as? String)
        if kind == "ran" || kind == "cancelled" { ends[block, default: []].append(kind) }
      }
      XCTAssertEqual(ends.count, count)
      for (block, kinds) in ends {
        XCTAssertEqual(kinds, [block.isMultiple(of: 3) ? "cancelled" : "ran"], "block \(block)")
      }
      XCTAssertEqual(summary["blocks"] as? Int, count)
      XCTAssertEqual(summary["ran"] as? Int, count - count / 3)
      XCTAssertEqual(summary["cancelled"] as? Int, count / 3)
      XCTAssertEqual(summary["moved"] as? Int, count > 1 ? 1 : 0)
      XCTAssertEqual(summary["faults"] as? [String], [])
      let lateness = try XCTUnwrap(summary["lateness_us"] as? [String: Double])
      let row = try ["min", "median", "p99", "max"].map { try XCTUnwrap(lateness[$0]) }
      XCTAssertEqual(row, row.sorted())
      XCTAssertGreaterThanOrEqual(row[0], 0)
    }
  }

  func testOnlyTheHurriedBlockRunsBeforeItsTime() throws {
    let (events, _) = try document(["--count", "12", "--spread", "240"])
    for event in events where event["event"] as? String == "ran" {
      let lateness = try XCTUnwrap(event["lateness_us"] as? Double)
      if event["block"] as? Int != 4 { XCTAssertGreaterThanOrEqual(lateness, 0, "\(event)") }
    }
    let moved = try XCTUnwrap(events.first { $0["event"] as? String == "moved" })
    XCTAssertEqual(moved["block"] as? Int, 2)
    XCTAssertEqual(moved["due_ms"] as? Double, 240)
    XCTAssertTrue(moved["lateness_us"] is NSNull)
  }

  func testTheTickerEndsWithItsOwner() throws {
    let (events, summary) = try document(["--count", "3", "--spread", "400"])
    let kinds = events.filter { $0["block"] as? Int == 0 }.compactMap { $0["event"] as? String }
    XCTAssertEqual(kinds.last, "ended")
    XCTAssertEqual(kinds.count { $0 == "ended" }, 1)
    XCTAssertEqual(kinds.count { $0 == "ticked" }, summary["ticks"] as? Int)
    XCTAssertEqual(kinds.count, 1 + (summary["ticks"] as? Int ?? 0))
  }

  func testWithoutATerminalEachEventIsALine() throws {
    let outcome = try run(["--spread", "160"], environment: ["TERM": "xterm"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertEqual(outcome.errors, "")
    XCTAssertFalse(outcome.output.contains("\u{1B}"), outcome.output)
    XCTAssertTrue(outcome.output.hasPrefix("BlockRuntime: delayed blocks\n\n"), outcome.output)
    for pattern in [
      #"\n\d+\.\d{3} s  block 8  scheduled  for 0\.160 s\n"#,
      #"\n\d+\.\d{3} s  block 1  ran  \d.* late\n"#,
      #"\n\d+\.\d{3} s  block 2  moved  to 0\.160 s\n"#,
      #"\n\d+\.\d{3} s  block 3  cancelled  .* before its time\n"#,
      #"\n\d+\.\d{3} s  ticker  ended  its owner died\n"#,
      #"\nran  cancelled  ticks  late: min +median +99th +max\n6    2  "#,
    ] {
      XCTAssertNotNil(
        outcome.output.range(of: pattern, options: .regularExpression), pattern + outcome.output)
    }
    XCTAssertTrue(
      outcome.output.hasSuffix("\n✓ every block ran once, or was cancelled and did not run\n"))
  }

  func testWrongValuesAreExplained() throws {
    for (arguments, message) in [
      (["--count", "0"], "--count is 0; pass a number of blocks from 1 to 10000"),
      (["--count", "10001"], "--count is 10001; pass a number of blocks from 1 to 10000"),
      (["--spread", "0"], "--spread is 0; pass milliseconds from 1 to 60000"),
      (["--spread", "60001"], "--spread is 60001; pass milliseconds from 1 to 60000"),
      (["--count", "many"], "'many'"), (["--spread", "-5"], "--spread"), (["extra"], "extra"),
    ] {
      let outcome = try run(arguments)
      XCTAssertEqual(outcome.status, 64, "\(arguments)")
      XCTAssertEqual(outcome.output, "", "\(arguments)")
      XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
      let json = try run(arguments + ["--json"])
      XCTAssertEqual(json.status, 64, "\(arguments)")
      XCTAssertTrue(json.output.hasPrefix(#"{"error":{"code":"usage""#), json.output)
    }
  }
}

// MARK: - On a terminal

extension DelayCommandTests {
  /// What the command writes to a terminal; `script` makes one.
  private func onTerminal(
    _ command: String, environment: [String: String] = [:], log: String = "/dev/null"
  ) throws -> CommandLineTool.Outcome {
    let script = URL(fileURLWithPath: "/usr/bin/script")
    try XCTSkipUnless(
      FileManager.default.isExecutableFile(atPath: script.path), "there is no script")
    let program = try "'\(CommandLineTool.url.path)' delay \(command)"
    return try CommandLineTool.run(
      ["-qefc", program, log],
      environment: ["TERM": "xterm"]
        .merging(environment) { _, new in new },
      executable: script)
  }

  func testATerminalGetsALineThatCountsDown() throws {
    for (arguments, count) in [("--spread 300", 8), ("--spread 300 --count 500", 500)] {
      let output = try onTerminal(arguments).output
      // Each line begins where the countdown stands, and takes its place.
      let lines = output.components(separatedBy: "\r\u{1B}[K").dropFirst()
      let counts = lines.filter { $0.hasSuffix(" pending\u{1B}[0m") }
      XCTAssertGreaterThanOrEqual(counts.count, 2, output)
      let times = counts.map { $0.prefix { $0 != "," } }
      XCTAssertEqual(times, times.sorted(by: >))
      XCTAssertEqual(lines.filter { $0.contains("block 1  ") }.count, 2, output)
      XCTAssertEqual(lines.filter { $0.contains("scheduled") }.count, count, output)
      XCTAssertTrue(try XCTUnwrap(lines.last).hasPrefix("\r\n"), output)
      XCTAssertTrue(output.contains("\u{1B}[32m✓"), output)
      XCTAssertTrue(output.contains("every block ran once"), output)
    }
  }

  func testNoColorIsHonouredInTheCountdown() throws {
    let outcome = try onTerminal("--spread 100", environment: ["NO_COLOR": "1"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertTrue(outcome.output.contains(" s left, "), outcome.output)
    XCTAssertNil(outcome.output.range(of: #"\x{1B}\[\d*m"#, options: .regularExpression))
  }

  func testADumbTerminalAndJSONGetNoCountdown() throws {
    let dumb = try onTerminal("--spread 100", environment: ["TERM": "dumb"])
    XCTAssertEqual(dumb.status, 0)
    XCTAssertFalse(dumb.output.contains("\u{1B}"), dumb.output)
    XCTAssertTrue(dumb.output.contains("block 1  ran"), dumb.output)
    let json = try onTerminal("--spread 100 --json")
    XCTAssertTrue(json.output.hasPrefix(#"{"events":["#), json.output)
    XCTAssertFalse(json.output.contains("\u{1B}"), json.output)
  }

  func testASignalLeavesTheTerminalClean() throws {
    // `script` tells of the death by a signal as a shell does: 128 and the signal's number.
    for (signal, number) in [("HUP", 1), ("TERM", 15)] {
      // One log a signal: `script` empties a log only after it has started the command.
      let log = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).log").path
      defer { try? FileManager.default.removeItem(atPath: log) }
      // The signal comes when the countdown has begun. The log begins with the command, which does
      // not match its own pattern.
      let outcome = try onTerminal(
        "--spread 60000 & until grep -qs 's lef[t]' \(log); do sleep 0.05; done;"
          + " kill -\(signal) $!; wait $!", log: log)
      XCTAssertEqual(outcome.status, 128 + Int32(number), outcome.output)
      XCTAssertTrue(outcome.output.contains("block 8"), outcome.output)
      XCTAssertFalse(outcome.output.contains("\u{1B}[?"), outcome.output)
    }
  }
}
#endif
