#if Everything
import Foundation
import TestSupport
import XCTest

/// `hook-demo trace --start-idle`, and what `hook-demo tell` asks of a trace.
final class TellCommandTests: XCTestCase {
  private func program() throws -> TracedProgram { try TracedProgram(self, file: "told.c") }

  private func state(_ document: [String: Any]) -> String? { document["state"] as? String }

  /// How many calls of blocks a document of tables has.
  private func callCount(_ document: [String: Any]) throws -> Int {
    let blocks = try XCTUnwrap(document["blocks"] as? [[String: Any]])
    return blocks.reduce(0) { $0 + ($1["count"] as? Int ?? 0) }
  }

  func testCallsAreTracedBetweenStartAndStopOnly() throws {
    let told = try ToldProgram(program(), ["trace", "--quiet", "--start-idle"], ["3"])
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.ask("send 3"), "4")
    XCTAssertEqual(state(try told.document("start")), "tracing")
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.ask("send 5"), "10")
    XCTAssertEqual(state(try told.document("stop")), "idle")
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.ask("send 7"), "18")
    XCTAssertEqual(try callCount(try told.document("report")), 6)
    // The same trace goes on.
    XCTAssertEqual(state(try told.document("start")), "tracing")
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.ask("send 11"), "30")
    let report = try told.document("report")
    XCTAssertEqual(try callCount(report), 18)
    XCTAssertEqual((report["queues"] as? [[String: Any]])?.first?["deepest"] is Int, true)
    XCTAssertEqual(state(try told.document("stop")), "idle")
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.end(), 3)
    XCTAssertEqual(try told.rows().count { !$0.isWait }, 18)
    XCTAssertEqual(
      told.errors.linesButOfSymbolizers,
      ["hook-demo: nothing is traced until: hook-demo tell \(told.number) start"])
  }

  func testAskingTwiceChangesNothing() throws {
    let told = try ToldProgram(program())
    XCTAssertEqual(state(try told.document("stop")), "idle")
    for _ in 1...2 { XCTAssertEqual(state(try told.document("start")), "tracing") }
    XCTAssertEqual(try told.ask("send 2"), "3")
    for _ in 1...2 { XCTAssertEqual(state(try told.document("stop")), "idle") }
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try callCount(try told.document("report")), 3)
    XCTAssertEqual(try told.end(), 0)
  }

  func testATraceThatIsNeverStartedHasNothing() throws {
    let told = try ToldProgram(program(), ["trace", "--start-idle", "--count"], ["5"])
    XCTAssertEqual(try told.tell("report").output, "nothing was traced so far\n")
    XCTAssertEqual(try told.tell("unfinished").output, "nothing waits or runs\n")
    XCTAssertEqual(try told.ask("send 2"), "3")
    XCTAssertEqual(try told.end(), 5)
    XCTAssertEqual(try told.rows().count, 0)
    XCTAssertEqual(
      told.errors.split(separator: "\n").last,
      "hook-demo: nothing was traced: hook-demo tell was not asked to start")
  }

  func testACallThatRunsWhenTheTraceStopsIsFinished() throws {
    let told = try ToldProgram(program())
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("run"), "runs")
    _ = try told.document("stop")
    XCTAssertEqual(try told.ask("slots"), "own")
    let running = try XCTUnwrap(
      try told.document("unfinished")["unfinished"] as? [[String: Any]])
    XCTAssertTrue(running.contains { $0["state"] as? String == "waiting" }, "\(running)")
    XCTAssertEqual(try told.ask("done"), "done")
    XCTAssertEqual(try told.end(), 0)
    let blocks = try told.rows().filter { !$0.isWait && $0.queue?.hasPrefix("told.other") == true }
    XCTAssertEqual(blocks.map(\.outcome), ["returned"])
    XCTAssertFalse(told.errors.contains("not finished"), told.errors)
  }

  func testABlockThatWasSentBeforeTheStopIsFinishedIfItBeginsSoon() throws {
    let told = try ToldProgram(program())
    var isFinished = false
    // On a busy machine the block may begin too late.
    for attempt in 1...10 where !isFinished {
      _ = try told.document("start")
      XCTAssertEqual(try told.ask("hold"), "held")
      let stopped = expectation(description: "stopped")
      let number = told.number
      DispatchQueue.global().async {
        _ = try? CommandLineTool.run(["tell", number, "stop"])
        stopped.fulfill()
      }
      while try told.ask("slots") != "own" {}
      XCTAssertEqual(try told.ask("release"), "\(attempt * 1001)")
      wait(for: [stopped], timeout: 60)
      let blocks = try XCTUnwrap(try told.document("report")["blocks"] as? [[String: Any]])
      isFinished = blocks.contains {
        $0["count"] as? Int ?? 0 > 0 && $0["notRun"] as? Int ?? 0 < attempt
      }
    }
    XCTAssertTrue(isFinished)
    XCTAssertEqual(try told.end(), 0)
  }

  func testABlockThatBeginsLongAfterTheStopRunsUntraced() throws {
    let told = try ToldProgram(program())
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("hold"), "held")
    let text = try told.tell("unfinished").output
    XCTAssertTrue(text.contains(" not begun on told.serial "), text)
    _ = try told.document("stop")
    let rows = try XCTUnwrap(try told.document("unfinished")["unfinished"] as? [[String: Any]])
    XCTAssertEqual(rows.map { $0["state"] as? String }, ["pending"])
    XCTAssertEqual(try told.ask("release"), "1001")
    // What waited then is not looked for any more.
    _ = try told.document("start")
    XCTAssertEqual(try told.tell("unfinished").output, "nothing waits or runs\n")
    XCTAssertEqual(try told.ask("send 1"), "1003")
    XCTAssertEqual(try told.end(), 0)
    XCTAssertEqual(
      try told.rows().filter { !$0.isWait }.map(\.outcome), ["pending", "returned", "returned"])
  }

  func testASuspendedProgramFollowsWhenItGoesOn() throws {
    let told = try ToldProgram(program())
    let number = try XCTUnwrap(pid_t(told.number))
    kill(number, SIGSTOP)
    XCTAssertEqual(state(try told.document("start")), "tracing")
    kill(number, SIGCONT)
    let start = ContinuousClock.now
    while try told.ask("slots") != "replaced", ContinuousClock.now - start < .seconds(60) {}
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.end(), 0)
  }

  func testForksAndWhatIsExecutedAreToldToo() throws {
    let told = try ToldProgram(program())
    let child = try told.ask("fork")
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.tell("start", process: child).status, 0)
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.tell("stop", process: "\(told.command)").status, 0)
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.tell("start").status, 0)
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.ask("quit"), "forked")
    XCTAssertEqual(try told.ask("slots"), "replaced")
    // A program that begins while others are traced is, too, from its beginning.
    XCTAssertEqual(try told.ask("execute"), told.number)
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.tell("stop").status, 0)
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.ask("execute"), told.number)
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.tell("start").status, 0)
    XCTAssertEqual(try told.ask("send 1"), "2")
    XCTAssertEqual(try told.end(), 0)
    XCTAssertEqual(try told.rows().count { !$0.isWait }, 2)
  }

  func testAForkOfATracedProgramIsStopped() throws {
    let told = try ToldProgram(program())
    _ = try told.document("start")
    let child = try told.ask("fork")
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.tell("stop", process: child).status, 0)
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.ask("quit"), "forked")
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.end(), 0)
  }

  func testAProgramThatClosesAllFilesIsTold() throws {
    let told = try ToldProgram(program())
    XCTAssertEqual(try told.ask("close"), "closed")
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("close"), "closed")
    XCTAssertEqual(try told.ask("send 2"), "3")
    _ = try told.document("stop")
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.end(), 0)
    XCTAssertEqual(try told.rows().count { !$0.isWait }, 3)
  }

  /// An emulator has a thread of its own, which the kernel counts.
  func testAProgramEndsWithItsLastThread() throws {
    try XCTSkipIf(isEmulated)
    let told = try ToldProgram(program())
    XCTAssertEqual(try told.ask("leave"), "left")
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("x"), "last")
    XCTAssertEqual(try told.waitForEnd(), 0)
  }

  func testAProgramWhoseAsyncMainIsSuspendedGoesOn() throws {
    let told = try ToldProgram(TracedProgram(self, file: "asyncmain.swift"))
    XCTAssertEqual(try told.waitForEnd(), 128 + SIGALRM, told.errors)
  }

  func testAProgramWithoutDescriptorsIsSaidNotToBeTraced() throws {
    let told = try ToldProgram(program())
    XCTAssertEqual(try told.ask("limit"), "limited")
    let document = try told.document("start")
    XCTAssertEqual(document["failed"] as? Int, 1)
    XCTAssertTrue(try told.tell("start").output.contains("1 program can make no stream"))
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.ask("unlimit"), "unlimited")
    _ = try told.document("stop")
    XCTAssertEqual(try told.document("start")["failed"] as? Int, 0)
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.end(), 0)
    XCTAssertFalse(told.errors.contains("outputUnavailable"), told.errors)
  }

  func testATraceGoesOnWhereAProgramHasNoDescriptorLeft() throws {
    let told = try ToldProgram(program())
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("limit"), "limited")
    // Each second the program asks whether it is still traced.
    Thread.sleep(forTimeInterval: 1.5)
    XCTAssertEqual(try told.ask("slots"), "replaced")
    XCTAssertEqual(try told.ask("unlimit"), "unlimited")
    XCTAssertEqual(try told.end(), 0)
  }

  func testTasksGoOnWhereTheTraceStopsAndStarts() throws {
    let told = try ToldProgram(TracedProgram(self, file: "toldtasks.swift"))
    XCTAssertEqual(try told.ask("tasks"), "10")
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("tasks"), "20")
    XCTAssertEqual(try told.ask("wait"), "waits")
    let waiting = try told.tell("unfinished").output
    XCTAssertTrue(waiting.contains("suspended, awaits a continuation"), waiting)
    _ = try told.document("stop")
    let count = try taskCount(try told.document("report"))
    XCTAssertGreaterThanOrEqual(count, 10)
    XCTAssertEqual(try told.ask("resume"), "resumed")
    XCTAssertEqual(try told.ask("tasks"), "30")
    XCTAssertEqual(try taskCount(try told.document("report")), count)
    _ = try told.document("start")
    XCTAssertFalse(try told.tell("unfinished").output.contains("awaits a continuation"))
    XCTAssertEqual(try told.ask("tasks"), "40")
    _ = try told.document("stop")
    XCTAssertGreaterThanOrEqual(try taskCount(try told.document("report")), count + 10)
    XCTAssertEqual(try told.ask("tasks"), "50")
    XCTAssertEqual(try told.end(), 0)
  }

  private func taskCount(_ document: [String: Any]) throws -> Int {
    let tasks = try XCTUnwrap(document["tasks"] as? [[String: Any]])
    return tasks.reduce(0) { $0 + ($1["tasks"] as? Int ?? 0) }
  }

  func testAProgramUnderLoadIsStartedAndStoppedAgainAndAgain() throws {
    try XCTSkipIf(isEmulated, "the program makes more records than an emulated reader takes")
    let told = try ToldProgram(
      TracedProgram(self, file: "toldstorm.c"),
      [
        "trace", "--quiet", "--start-idle", "--no-follow", "--image", "program",
      ])
    for _ in 1...5 {
      XCTAssertEqual(state(try told.document("start")), "tracing")
      XCTAssertEqual(state(try told.document("stop")), "idle")
    }
    XCTAssertEqual(try told.ask("end"), "0 children failed")
    XCTAssertEqual(try told.end(), 0)
  }

  func testFaultsAreInjectedBetweenStartAndStop() throws {
    let told = try ToldProgram(
      program(), ["interpose", "-q", "--start-idle", "--fail", "ENOSPC", "-", "open"])
    XCTAssertEqual(try told.ask("open"), "opened")
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("open"), "No space left on device")
    _ = try told.document("stop")
    XCTAssertEqual(try told.ask("open"), "opened")
    XCTAssertEqual(try told.end(), 0)
    XCTAssertTrue(told.errors.contains("1      ENOSPC    open"), told.errors)
  }

  func testAFunctionThatNothingHasIsToldOfWhenTheTraceStarts() throws {
    let told = try ToldProgram(
      program(), ["trace", "-q", "--start-idle", "--function", "no_such_function=vi"])
    let refusals = try told.document("start")["refusals"] as? [String]
    XCTAssertEqual(refusals?.count, 1, "\(refusals ?? [])")
    XCTAssertEqual(try told.ask("slots"), "replaced")
    // It is looked for in what is loaded, but only while the program is traced.
    _ = try told.document("stop")
    XCTAssertEqual(try told.ask("slots"), "own")
    XCTAssertEqual(try told.end(), 0)
  }

  func testEveryTraceTellsWhatHasNotFinished() throws {
    let told = try ToldProgram(program(), ["trace", "-q"])
    XCTAssertEqual(try told.ask("hold"), "held")
    let text = try told.tell("unfinished").output
    XCTAssertTrue(text.contains(" not begun on told.serial "), text)
    for (verb, code) in [
      ("start", "alwaysTraced"), ("stop", "alwaysTraced"), ("report", "noTables"),
    ] {
      let outcome = try told.tell(verb)
      XCTAssertEqual(outcome.status, 1)
      XCTAssertTrue(outcome.errors.hasPrefix("hook-demo: \(code): "), outcome.errors)
      XCTAssertTrue(outcome.errors.contains("--start-idle"), outcome.errors)
    }
    XCTAssertEqual(try told.ask("release"), "1001")
    XCTAssertEqual(try told.end(), 0)
  }

  func testAProgramWhoseTracingCommandIsKilledGoesOnUntraced() throws {
    let told = try ToldProgram(program())
    _ = try told.document("start")
    XCTAssertEqual(try told.ask("slots"), "replaced")
    kill(told.command, SIGKILL)
    let start = ContinuousClock.now
    while try told.ask("slots") != "own", ContinuousClock.now - start < .seconds(60) {}
    XCTAssertEqual(try told.ask("slots"), "own")
    let outcome = try told.tell("start")
    XCTAssertTrue(outcome.errors.hasPrefix("hook-demo: traceEnded: "), outcome.errors)
    XCTAssertEqual(try told.ask("send 1"), "2")
  }

  func testProcessesWithoutATraceAreRefused() throws {
    let gone = Process()
    gone.executableURL = URL(fileURLWithPath: "/bin/true")
    try gone.run()
    gone.waitUntilExit()
    let own = ProcessInfo.processInfo.processIdentifier
    for (process, code) in [(gone.processIdentifier, "noProcess"), (own, "notTraced")] {
      let outcome = try CommandLineTool.run(["tell", "\(process)", "report"])
      XCTAssertEqual(outcome.status, 1)
      XCTAssertTrue(outcome.errors.hasPrefix("hook-demo: \(code): "), outcome.errors)
      let document = try CommandLineTool.run(["tell", "\(process)", "report", "--json"])
      XCTAssertEqual(document.status, 1)
      let error = try CommandLineTool.document(document.output)["error"] as? [String: Any]
      XCTAssertEqual(error?["code"] as? String, code)
    }
    for words in [["0", "stop"], ["1"], ["1", "begin"], ["x", "stop"]] {
      XCTAssertEqual(try CommandLineTool.run(["tell"] + words).status, 64, "\(words)")
    }
  }

  func testCountsFromTheBeginningAreRefused() throws {
    let outcome = try CommandLineTool.run(
      ["trace", "--start-idle", "--swift-calls", "*", "--", "/bin/true"])
    XCTAssertEqual(outcome.status, 64)
    XCTAssertTrue(outcome.errors.contains("leave --start-idle out"), outcome.errors)
  }
}
#endif
