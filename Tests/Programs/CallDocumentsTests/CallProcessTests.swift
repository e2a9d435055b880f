#if Everything
import Foundation
import TestSupport
import XCTest

/// The process that a call runs in: its end, its streams, its descriptors.
final class CallProcessTests: XCTestCase {
  func testAnEndOfTheProcessIsAnAnswer() throws {
    let rows = [
      (["raise", "ii", "11"], #""signal":11}}"#), (["raise", "ii", "9"], #""signal":9}}"#),
      (["abort", "v"], #""signal":6}}"#), (["exit", "vi", "3"], #""status":3}}"#),
      (["_exit", "vi", "0"], #""status":0}}"#), (["strlen", "Q*", "null"], #""signal":11}}"#),
      (["pthread_exit", "v^v", "null"], #""status":0}}"#),
    ]
    // AddressSanitizer does not survive the end of the main thread.
    for (words, end) in rows where !(isSanitized && words[0] == "pthread_exit") {
      let outcome = try CommandLineTool.run(["call", "--json", "-"] + words)
      XCTAssertEqual(outcome.status, 1, "\(words)")
      XCTAssertTrue(
        outcome.output.hasPrefix(#"{"error":{"code":"terminated","message":"\#(words[0]) ended"#),
        outcome.output)
      XCTAssertTrue(outcome.output.hasSuffix(end + "\n"), outcome.output)
      XCTAssertEqual(outcome.errors, "", "\(words)")
    }
    let plain = try CommandLineTool.run(["call", "-", "exit", "vi", "3"])
    XCTAssertEqual(plain.output, "")
    XCTAssertEqual(
      plain.errors,
      "hook-demo: terminated: exit ended the process that ran it, with exit status 3\n")
  }

  func testWhatTheFunctionPrintsComesBeforeTheResult() throws {
    let words = ["libc.so.6", "int printf(const char *, ...)", #""%d %g\n""#, "7", "0.5"]
    let plain = try CommandLineTool.run(["call"] + words)
    XCTAssertEqual(plain.output, "7 0.5\n6\n")
    XCTAssertEqual(plain.errors, "")
  }

  func testWithJSONWhatTheFunctionPrintsGoesToStandardError() throws {
    let one = try CommandLineTool.run(["call", "--json", "-", "puts", "ir*", "hello"])
    XCTAssertEqual(one.output, #"{"result":6,"outputs":[null]}"# + "\n")
    XCTAssertEqual(one.errors, "hello\n")
    let line = #"{"symbol":"puts","signature":"ir*","arguments":["hello"]}"#
    let batch = try CommandLineTool.run(["call", "--batch", "-"], input: line)
    XCTAssertEqual(batch.output, one.output)
    XCTAssertEqual(batch.errors, one.errors)
  }

  func testClosedStreamsAreNoObstacle() throws {
    for closed in ["<&-", "2>&-", "<&- 2>&-"] {
      let outcome = try CommandLineTool.run(
        ["-c", #""$0" call --json - puts 'ir*' x \#(closed)"#, CommandLineTool.url.path],
        executable: URL(fileURLWithPath: "/bin/sh"))
      XCTAssertEqual(outcome.output, #"{"result":2,"outputs":[null]}"# + "\n", closed)
    }
  }

  func testAFunctionMayReadStandardInputButNotTheBatch() throws {
    let one = try CommandLineTool.run(["call", "-", "getchar", "i"], input: "A")
    XCTAssertEqual(one.output, "65\n")
    let line = #"{"symbol":"getchar","signature":"i"}"# + "\n"
    let batch = try CommandLineTool.run(["call", "--batch", "-"], input: line + line)
    let answer = #"{"result":-1,"outputs":[]}"# + "\n"
    XCTAssertEqual(batch.output, answer + answer)
  }

  func testFunctionsMayCloseAndReplaceEveryDescriptor() throws {
    var lines = [#"{"symbol":"closefrom","signature":"vi","arguments":[0]}"#]
    for descriptor in 190..<210 {
      lines.append(#"{"symbol":"dup2","signature":"iii","arguments":[0,\#(descriptor)]}"#)
    }
    lines.append(#"{"symbol":"abs","signature":"ii","arguments":[-7]}"#)
    let outcome = try CommandLineTool.run(
      ["call", "--batch", "-"], input: lines.joined(separator: "\n"))
    let answers = outcome.output.split(separator: "\n")
    XCTAssertEqual(answers.count, lines.count)
    XCTAssertEqual(answers.last, #"{"result":7,"outputs":[null]}"#)
    XCTAssertEqual(outcome.status, 0)
  }

  func testProcessesThatOutliveTheCallHoldNothingUp() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let sleeper = "sleep 60 >/dev/null 2>&1 & echo $! >>$PIDS; "
    let lines = #"""
      {"symbol":"system","signature":"ir*","arguments":["\#(sleeper)"]}
      {"symbol":"system","signature":"ir*","arguments":["\#(sleeper) kill -9 $PPID"]}
      {"symbol":"abs","signature":"ii","arguments":[-7]}
      """#
    // The sleepers are still there when the tool is done.
    let outcome = try CommandLineTool.run(
      ["-c", #""$0" call --batch -; kill $(cat $PIDS) && echo held nothing up"#]
        + [CommandLineTool.url.path],
      environment: ["PIDS": file.path], executable: URL(fileURLWithPath: "/bin/sh"), input: lines)
    let answers = outcome.output.split(separator: "\n")
    XCTAssertEqual(answers.count, 4, outcome.output)
    XCTAssertTrue(answers.dropFirst().first?.hasSuffix(#""signal":9}}"#) ?? false, outcome.output)
    XCTAssertEqual(answers.dropFirst(2).first, #"{"result":7,"outputs":[null]}"#)
    XCTAssertEqual(answers.last, "held nothing up", outcome.errors)
  }

  func testAForkAnswersOnce() throws {
    let lines = #"""
      {"symbol":"fork","signature":"B"}
      {"symbol":"abs","signature":"ii","arguments":[-7]}
      """#
    let outcome = try CommandLineTool.run(["call", "--batch", "-"], input: lines)
    XCTAssertEqual(
      outcome.output,
      #"{"result":true,"outputs":[]}"# + "\n" + #"{"result":7,"outputs":[null]}"# + "\n")
  }

  func testACallThatStopsItselfIsContinued() throws {
    try CommandLineTool.expect(["call", "-", "raise", "ii", "19"], prints: "0")
  }

  func testTheFunctionSeesTheEnvironmentUnchanged() throws {
    let outcome = try CommandLineTool.run(
      ["call", "-", "getenv", "*r*", "HOOK_DEMO_TEST"], environment: ["HOOK_DEMO_TEST": "kept"])
    XCTAssertEqual(outcome.output, "kept\n")
  }
}
#endif
