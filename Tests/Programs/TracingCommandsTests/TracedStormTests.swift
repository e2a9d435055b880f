#if Everything
import Foundation
import TestSupport
import XCTest

/// Queues under load, and programs that end, or go on otherwise, while blocks wait.
final class TracedStormTests: XCTestCase {
  private func program() throws -> TracedProgram {
    try TracedProgram(self, c: StormProgram.source, ["-O1"])
  }

  /// The number of a call of the program's function.
  private func number(_ row: TracedRow) -> Int? {
    row.arguments.first.flatMap { Int($0.dropFirst("^v 0x".count), radix: 16) }
  }

  /// Checks that each call was sent when the program says it was, and by the function that did.
  ///
  /// - Returns: How many calls there are, and how many of them are matched.
  private func check(_ run: TracedProgram.Run) throws -> (calls: [TracedRow], matched: Int) {
    var sent: [Int: (before: UInt64, after: UInt64)] = [:]
    for line in run.outcome.output.split(separator: "\n") {
      let words = line.split(separator: " ").compactMap { UInt64($0) }
      if words.count == 3 { sent[Int(words[0])] = (words[1], words[2]) }
    }
    let calls = run.rows(named: "work").filter(\.hasStarted)
    var matched = 0
    var foreign: [TracedRow] = []
    for call in calls {
      guard let enqueued = call.enqueued, let waited = call.waited else { continue }
      matched += 1
      let times = try XCTUnwrap(number(call).flatMap { sent[$0] }, "\(call)")
      if enqueued < times.before || enqueued > times.after || enqueued + waited != call.start
        || call.enqueuedBy != "send"
      {
        foreign.append(call)
      }
    }
    XCTAssertEqual(foreign.count, 0, "\(foreign.first as Any)")
    return (calls, matched)
  }

  // MARK: Load

  func testAStormIsMatchedWhereThereIsRoom() throws {
    let rounds = emulated(300)
    let run = try program().trace(["--buffer", "512"], ["storm", "\(rounds)"])
    XCTAssertEqual(run.outcome.errors, "")
    let (calls, matched) = try check(run)
    XCTAssertEqual(run.count, 100 * rounds)
    XCTAssertEqual(calls.count, 100 * rounds)
    XCTAssertEqual(matched, 100 * rounds)
    XCTAssertEqual(Set(calls.compactMap(number)).count, 100 * rounds)
    XCTAssertEqual(run.rows.filter { !$0.hasStarted }.count, 0)
  }

  func testWhatAStormLosesIsCountedAndNoWaitIsAnothers() throws {
    let rounds = emulated(1000)
    let run = try program().trace(["--buffer", "1"], ["storm", "\(rounds)"])
    let (calls, matched) = try check(run)
    let remark = run.outcome.errors.firstMatch(of: /(\d+) calls found no room and are missing/)
    let lost = try XCTUnwrap(remark.flatMap { Int($0.1) }, run.outcome.errors)
    XCTAssertEqual(run.count, 100 * rounds)
    XCTAssertLessThan(calls.count, 100 * rounds)
    // What is lost may also have been submissions, so at least as many as the calls that lack.
    XCTAssertGreaterThanOrEqual(calls.count + lost, 100 * rounds)
    XCTAssertLessThan(matched, calls.count)
    XCTAssertEqual(Set(calls.compactMap(number)).count, calls.count)
  }

  func testAQueueThatIsReleasedKeepsItsNameForWhatItWasSent() throws {
    let run = try program().trace([], ["release"])
    let (calls, matched) = try check(run)
    XCTAssertEqual([calls.count, matched], [200, 200])
    for call in calls {
      XCTAssertEqual(call.sentTo, number(call).map { "storm.\($0) serial" })
      XCTAssertEqual(call.queue, call.sentTo)
    }
  }

  // MARK: Ends

  private func checkPending(_ run: TracedProgram.Run, process: Int? = nil) {
    let pending = run.rows.filter { $0.outcome == "pending" }
    XCTAssertEqual(pending.map(\.name).sorted(), ["__main_block_invoke_3", "work"])
    XCTAssertEqual(pending.map(\.sentTo), ["storm serial", "storm serial"])
    for row in pending {
      // The program slept for so long after it had sent them.
      XCTAssertGreaterThanOrEqual(row.waited ?? 0, 20_000_000, "\(row)")
      XCTAssertEqual(row.start, row.enqueued)
    }
  }

  func testBlocksThatWaitWhenTheProgramIsKilledArePending() throws {
    let run = try program().trace([], ["kill"])
    XCTAssertEqual(run.outcome.status, 128 + 9)
    XCTAssertEqual(run.rows.filter { $0.outcome == "pending" }.count, 2)
    checkPending(run)
  }

  func testBlocksThatWaitWhenTheGroupIsInterruptedArePending() throws {
    try XCTSkipIf(isEmulated, "an interruption ends the emulator of hook-demo")
    let tool = try CommandLineTool.url.path
    let run = try program().trace([], ["interrupt"], under: ["setsid", "--wait", tool])
    XCTAssertEqual(run.outcome.status, 128 + 2, run.outcome.errors)
    checkPending(run)
  }

  func testBlocksThatWaitWhenTheProgramGoesOnAsAnotherArePending() throws {
    let run = try program().trace([], ["exec"])
    checkPending(run)
    XCTAssertEqual(try check(run).calls.count, 200)
    XCTAssertEqual(Set(run.rows.map(\.process)).count, 1)
  }

  func testAForkInAQueuesBlockIsFollowed() throws {
    let run = try program().trace([], ["fork"])
    XCTAssertEqual(run.outcome.status, 6)
    let outer = run.rows.filter {
      $0.shortName == "main" && !$0.isWait || $0.name.hasPrefix("__main")
    }
    let processes = Set(outer.map(\.process))
    XCTAssertEqual(processes.count, 2, "\(run.rows)")
    // The child's block was sent, and waited for, by the child.
    let child = try XCTUnwrap(outer.first { $0.process != outer.last?.process })
    XCTAssertEqual(child.sentTo, "storm serial")
    XCTAssertNotNil(child.waited)
    XCTAssertEqual(child.outcome, "returned")
    XCTAssertEqual(
      Set(run.rows.filter { $0.isWait && $0.name == "dispatch_sync" }.map(\.process)), processes)
    XCTAssertEqual(run.rows.filter { $0.outcome == "pending" }.count, 0)
  }

  // MARK: Outputs

  func testAFullDiskAndAClosedPipeAreSaid() throws {
    let path = try program().path
    let full = try CommandLineTool.run(
      ["trace", "--quiet", "--json", "/dev/full", "--", path, "release"])
    XCTAssertEqual(full.status, 6)
    XCTAssertTrue(full.errors.contains(/\d{3} calls could not be written/), full.errors)
    let tool = try CommandLineTool.url.path
    let script = """
      { "$0" trace --quiet --json /dev/fd/3 -- "$1" release 3>&1 >/dev/null; echo "status $?" >&2; } \
      | true
      """
    let closed = try CommandLineTool.run(
      ["sh", "-c", script, tool, path], executable: URL(fileURLWithPath: "/usr/bin/env"))
    XCTAssertTrue(closed.errors.contains("status 6"), closed.errors)
    XCTAssertTrue(closed.errors.contains(/\d{3} calls could not be written/), closed.errors)
  }
}
#endif
