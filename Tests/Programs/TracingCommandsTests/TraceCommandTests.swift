#if Everything
import Foundation
import TestSupport
import XCTest

/// Real programs, run by `hook-demo trace`.
final class TraceCommandTests: XCTestCase {
  private static let source = """
    #include <dispatch/dispatch.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int main(int count, char **words) {
      const char *way = count > 1 ? words[1] : "";
      dispatch_queue_t queue = dispatch_queue_create("com.example.queue", NULL);
      int (^add)(int, double) = ^(int a, double b) { return a + (int)b; };
      dispatch_async(queue, ^{ add(3, 4.5); });
      dispatch_sync(queue, ^{ printf("said\\n"); fflush(stdout); });
      if (!strcmp(way, "crash")) dispatch_sync(queue, ^{ raise(SIGKILL); });
      if (!strcmp(way, "nested")) {
        dispatch_queue_t other = dispatch_queue_create("com.example.other", NULL);
        dispatch_sync(queue, ^{ dispatch_sync(other, ^{ raise(SIGKILL); }); });
      }
      if (!strcmp(way, "terminated")) raise(SIGTERM);
      if (!strcmp(way, "ended")) {
        kill(getppid(), SIGTERM);
        for (;;) pause();
      }
      if (!strcmp(way, "pending")) {
        dispatch_suspend(queue);
        dispatch_async(queue, ^{});
      }
      if (!strcmp(way, "exit")) dispatch_sync(queue, ^{ exit(5); });
      if (!strcmp(way, "exec")) execl(words[0], words[0], "again", NULL);
      if (!strcmp(way, "fork")) {
        pid_t child = fork();
        if (child == 0) {
          dispatch_async(dispatch_get_global_queue(0, 0), ^{ _exit(3); });
          pause();
        }
        waitpid(child, NULL, 0);
      }
      return 4;
    }
    """

  // Not where the program is compiled: assertions report what is thrown in them as errors, skips
  // too.
  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
  }

  /// The program, compiled.
  private func victim() throws -> String {
    let tools = URL(fileURLWithPath: try Compiler().path).deletingLastPathComponent()
    let include = tools.deletingLastPathComponent().appendingPathComponent("lib/swift").path
    return try CompiledFiles(self).compile(
      "victim", ["-fblocks", "-I", include], source: Self.source,
      libraries: [
        "-L", "\(include)/linux", "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath,\(include)/linux",
      ])
  }

  /// Traces the program, and returns the calls beside what it printed.
  private func trace(
    _ options: [String] = [], _ words: [String] = []
  ) throws -> (outcome: CommandLineTool.Outcome, calls: [[String: Any]]) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "trace-command-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let outcome = try CommandLineTool.run(
      ["trace", "--json", file.path] + options + ["--", try victim()] + words)
    let calls = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      try CommandLineTool.document(String($0))
    }
    return (outcome, calls)
  }

  func testAProgramIsItselfAndItsCallsAreShown() throws {
    let (outcome, calls) = try trace(["--summary"])
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    XCTAssertEqual(outcome.output, "said\n")
    XCTAssertTrue(outcome.errors.contains(/\d  __main_block_invoke/), outcome.errors)
    XCTAssertTrue(outcome.errors.contains("calls  total ms  own ms"), outcome.errors)
    XCTAssertGreaterThanOrEqual(calls.count, 2)
    for call in calls { XCTAssertEqual(call["outcome"] as? String, "returned") }
    XCTAssertEqual(Set(calls.compactMap { $0["process"] as? Int }).count, 1)
  }

  func testTheCallsThatASignalCutShortAreShown() throws {
    let (outcome, calls) = try trace(["--quiet"], ["crash"])
    XCTAssertEqual(outcome.status, 128 + 9)
    XCTAssertTrue(outcome.errors.contains("died of signal 9 (Killed); had not ended: __main_block"))
    XCTAssertEqual(calls.last?["outcome"] as? String, "unfinished")
    XCTAssertEqual(calls.dropLast().filter { $0["outcome"] as? String == "unfinished" }.count, 0)
  }

  func testOneOtherCallIsCountedInTheSingular() throws {
    let errors = try trace(["--quiet"], ["nested"]).outcome.errors
    XCTAssertTrue(
      errors.contains(/had not ended: __main_block\w+\(.*\) and 1 other call\n/), errors)
  }

  func testASignalThatIsPassedOnEndsTheProgram() throws {
    for (way, words) in [
      ("ended", "was ended by SIGTERM, which was passed on; no call was running\n"),
      ("terminated", "died of signal 15 (Terminated); no call was running\n"),
    ] {
      let (outcome, calls) = try trace(["--count"], [way])
      XCTAssertEqual(outcome.status, 128 + 15, way)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
      XCTAssertTrue(outcome.errors.contains("\nthe trace: "), outcome.errors)
      XCTAssertGreaterThanOrEqual(calls.count, 2, way)
    }
  }

  func testTheLastLineCountsCallsAsTheTableDoes() throws {
    let errors = try trace(["--count"], ["pending"]).outcome.errors
    let rows = errors.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
    let calls = rows.reduce(0) { $0 + (Int($1.prefix { $0 != " " }) ?? 0) }
    XCTAssertGreaterThanOrEqual(calls, 2, errors)
    XCTAssertTrue(
      errors.contains("\nthe trace: \(calls) calls, 1 wait, 1 block not run; "), errors)
  }

  func testACallThatExitsHasNotEnded() throws {
    let (outcome, calls) = try trace(["--quiet"], ["exit"])
    XCTAssertEqual(outcome.status, 5)
    XCTAssertEqual(calls.last?["outcome"] as? String, "unfinished")
  }

  func testForksAndWhatIsExecutedAreFollowed() throws {
    let alone = try trace(["--quiet"]).calls.count
    let forked = try trace(["--quiet"], ["fork"])
    XCTAssertEqual(forked.outcome.status, 4)
    XCTAssertEqual(forked.calls.count, alone + 1)
    XCTAssertEqual(Set(forked.calls.compactMap { $0["process"] as? Int }).count, 2)
    let executed = try trace(["--quiet"], ["exec"])
    XCTAssertEqual(executed.outcome.output, "said\nsaid\n")
    XCTAssertEqual(executed.calls.count, 2 * alone)
    XCTAssertEqual(try trace(["--quiet", "--no-follow"], ["exec"]).calls.count, alone)
  }

  func testThePageMergesProcessesAsTheTableDoes() throws {
    let page = FileManager.default.temporaryDirectory.appendingPathComponent(
      "trace-command-\(UUID().uuidString).html")
    defer { try? FileManager.default.removeItem(at: page) }
    let (outcome, _) = try trace(["--quiet", "--summary", "--html", page.path], ["exec"])
    let table = outcome.errors.components(separatedBy: "\n\n")[0]
    let rows = table.split(separator: "\n").dropFirst()
    let text = try String(contentsOf: page, encoding: .utf8)
    let data = text.components(separatedBy: "id=\"trace\">").last?
      .components(separatedBy: "</script>").first
    let subjects = try CommandLineTool.document(XCTUnwrap(data))["subjects"] as? [[String: Any]]
    let names = try XCTUnwrap(subjects).compactMap { $0["title"] as? String }
    XCTAssertGreaterThan(names.count, 0)
    XCTAssertEqual(names.count, Set(names).count, "\(names)")
    // Waits have a table of their own.
    XCTAssertEqual(names.filter { $0 != "dispatch_sync" }.count, rows.count, outcome.errors)
  }

  func testFiltersChooseCalls() throws {
    XCTAssertEqual(try trace(["--queue", "com.other"]).calls.count, 0)
    XCTAssertGreaterThan(try trace(["--queue", "com.example.*"]).calls.count, 0)
    XCTAssertGreaterThan(try trace(["--image", "victim"]).calls.count, 0)
    let (outcome, calls) = try trace(["--symbol", "nothing"])
    XCTAssertEqual(outcome.status, 4)
    XCTAssertEqual(calls.count, 0)
    XCTAssertEqual(
      outcome.errors,
      "hook-demo: no call of a block was seen: the filters match none, or the program calls none "
        + "that they could\n")
  }

  func testAProgramThatIsLinkedWithThisLibraryIsTraced() throws {
    try XCTSkipIf(
      ProcessInfo.processInfo.environment["BLOCKRUNTIME_ENGINE"] == "libffi",
      "code that libffi makes for a hook is not known as a hook's")
    let tool = try CommandLineTool.url.path
    let plain = try CommandLineTool.run(["tour"])
    let traced = try CommandLineTool.run(["trace", "--quiet", "--summary", "--", tool, "tour"])
    XCTAssertEqual(traced.status, plain.status, traced.errors)
    XCTAssertEqual(
      traced.output.split(separator: "\n").count, plain.output.split(separator: "\n").count)
    XCTAssertTrue(traced.errors.contains("calls  total ms"), traced.errors)
  }

  func testWhatCannotBeTracedIsRefused() throws {
    let rows: [([String], Int32, String)] = [
      ([], 64, "name the program behind --"), (["true"], 64, "Usage: "),
      (["--buffer", "0", "--", "true"], 64, "--buffer"),
      (["--", "/nowhere/at/all"], 1, "hook-demo: programNotFound: "),
      (["--chrome", "file", "--", "true"], 64, "--chrome is gone: use --perfetto FILE, which "),
      (["--perfetto", "/nowhere/at/all", "--", "true"], 1, "hook-demo: outputUnavailable: "),
    ]
    for (arguments, status, message) in rows {
      let outcome = try CommandLineTool.run(["trace"] + arguments)
      XCTAssertEqual(outcome.status, status, "\(arguments)")
      XCTAssertEqual(outcome.output, "", "\(arguments)")
      XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
    }
    let elsewhere = try CommandLineTool.run(
      ["trace", "--", "true"], environment: ["BLOCK_TRACER_LIBRARY": "/nowhere/at/all.so"])
    XCTAssertEqual(elsewhere.status, 1)
    XCTAssertTrue(elsewhere.errors.hasPrefix("hook-demo: tracerNotFound: "), elsewhere.errors)
  }
}
#endif
