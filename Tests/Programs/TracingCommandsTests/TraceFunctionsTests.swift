#if Everything
import Foundation
import TestSupport
import XCTest

/// C functions beside blocks, and what else `hook-demo trace` is asked for, in a real program.
final class TraceFunctionsTests: XCTestCase {
  private static let source = """
    #include <dispatch/dispatch.h>
    #include <dlfcn.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    static __attribute__((noinline)) void serve(dispatch_queue_t queue) {
      dispatch_sync(queue, ^{ puts(getenv("TRACED")); });
      dispatch_async(queue, ^{ strtol("42", NULL, 10); });
      dispatch_sync(queue, ^{ fflush(stdout); });
    }
    int pthread_setname_np(pthread_t, const char *);
    static void *run(void *queue) {
      pthread_setname_np(pthread_self(), "first");
      dispatch_sync(queue, ^{});
      pthread_setname_np(pthread_self(), "com.example.a-long-name");
      dispatch_sync(queue, ^{});
      return NULL;
    }
    int main(int count, char **words) {
      setenv("TRACED", "value", 1);
      serve(dispatch_queue_create("com.example.queue", NULL));
      pthread_t thread;
      pthread_create(&thread, NULL, run, dispatch_queue_create("com.example.other", NULL));
      pthread_join(thread, NULL);
      if (count > 5) dlopen("libnothing.so", RTLD_LAZY);
      return 3;
    }
    """

  private func trace(
    _ options: [String], in files: CompiledFiles? = nil
  ) throws -> (outcome: CommandLineTool.Outcome, calls: [[String: Any]]) {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let files = try files ?? CompiledFiles(self)
    let tools = URL(fileURLWithPath: try Compiler().path).deletingLastPathComponent()
    let include = tools.deletingLastPathComponent().appendingPathComponent("lib/swift").path
    let program = try files.compile(
      "victim", ["-O0", "-fno-builtin", "-fblocks", "-I", include], source: Self.source,
      libraries: [
        "-L", "\(include)/linux", "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath,\(include)/linux",
      ])
    let file = "\(files.directory)/calls.jsonl"
    let outcome = try CommandLineTool.run(["trace", "--json", file] + options + ["--", program])
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let calls = try text.split(separator: "\n").map { try CommandLineTool.document(String($0)) }
    return (outcome, calls)
  }

  func testFunctionsAreInTheTimelineOfTheBlocksThatCallThem() throws {
    let (outcome, calls) = try trace([
      "--quiet", "--image", "victim", "--function", "getenv", "--function", "strtol=qr*^*i",
    ])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertEqual(outcome.output, "value\n")
    let getenv = try XCTUnwrap(calls.first { $0["name"] as? String == "getenv" })
    XCTAssertEqual(getenv["depth"] as? Int, 1)
    XCTAssertEqual(getenv["arguments"] as? [String], [#""TRACED""#])
    XCTAssertEqual(getenv["result"] as? String, #""value""#)
    let strtol = try XCTUnwrap(calls.first { ($0["name"] as? String)?.contains("strtol") == true })
    XCTAssertEqual(strtol["result"] as? String, "i64 42")
    XCTAssertEqual(
      calls.filter { ($0["name"] as? String)?.hasPrefix("__serve_block_invoke") == true }.count, 3)
  }

  func testWhatIsMisspeltIsRefusedBeforeTheProgramBegins() throws {
    let rows = [
      ("getenvv", "did you mean getenv?"), ("getenv=*r", "as in --function 'getenv=*r*'"),
      ("nothing_like_it", "give it, as in 'char *getenv(const char *)'"), ("=i", "has no name"),
      ("f=", "give a type encoding"),
    ]
    for (function, message) in rows {
      let (outcome, calls) = try trace(["--function", "open", "--function", function])
      XCTAssertEqual(outcome.status, 1, function)
      XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
      XCTAssertEqual(outcome.output, "")
      XCTAssertEqual(calls.count, 0)
    }
  }

  func testFunctionsThatMayStillBeLoadedAreReportedAndTheBlocksAreTraced() throws {
    let (outcome, calls) = try trace(
      ["--quiet", "--function", "no_such_function=v", "--function", "no_other_function=v"])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    for name in ["no_such_function", "no_other_function"] {
      XCTAssertTrue(
        outcome.errors.contains("not traced: no loaded object defines \(name)"), outcome.errors)
    }
    XCTAssertGreaterThanOrEqual(calls.count, 3)
  }

  func testValuesAreLeftOut() throws {
    let (outcome, calls) = try trace(["--no-values", "--image", "victim", "--function", "getenv"])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertFalse(outcome.errors.contains("TRACED"), outcome.errors)
    XCTAssertGreaterThanOrEqual(calls.count, 4)
    for call in calls {
      XCTAssertEqual(call["arguments"] as? [String], [])
      XCTAssertTrue(call["result"] is NSNull)
    }
  }

  func testCountPrintsOnlyTheTable() throws {
    let (outcome, calls) = try trace(["--count", "--image", "victim", "--function", "getenv"])
    let table = outcome.errors.components(separatedBy: "\n\n")[0]
    let lines = table.split(separator: "\n")
    XCTAssertTrue(lines.first?.hasPrefix("calls  total ms") == true, outcome.errors)
    XCTAssertEqual(
      lines.dropFirst().count,
      Set(
        calls.filter { $0["kind"] as? String == "call" }.compactMap { $0["name"] as? String }
      ).count,
      outcome.errors)
    // The machine may have the C library's debug information.
    XCTAssertTrue(lines.contains { $0.contains("  getenv") }, outcome.errors)
  }

  func testFilesAreForThisUserAlone() throws {
    let files = try CompiledFiles(self)
    let paths = ["calls.jsonl", "timeline", "page.html"].map { "\(files.directory)/\($0)" }
    let (outcome, _) = try trace(
      ["--quiet", "--perfetto", paths[1], "--html", paths[2]], in: files)
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    for path in paths {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600, path)
    }
  }

  func testAThreadHasTheNameThatItGaveItself() throws {
    let files = try CompiledFiles(self)
    let path = "\(files.directory)/timeline"
    let (outcome, calls) = try trace(["--quiet", "--perfetto", path], in: files)
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    let thread = calls.first { $0["name"] as? String == "__run_block_invoke" }?["thread"] as? Int
    let names = try PerfettoFile(path: path).threadNames
    XCTAssertEqual(names[try XCTUnwrap(thread)], "com.example.a-long-name")
  }

  func testAsManyCallersAreShownAsAreAskedFor() throws {
    func stacks(_ options: [String]) throws -> [[String]] {
      try trace(["--quiet"] + options).calls.compactMap { $0["stack"] as? [String] }
        .filter { $0.first == "serve" }
    }
    let plain = try stacks([])
    XCTAssertEqual(Set(plain.map(\.count)), [1])
    let deep = try stacks(["--stacks", "2"])
    XCTAssertGreaterThanOrEqual(deep.count, 3)
    for stack in deep { XCTAssertEqual(stack, ["serve", "main"]) }
    for count in ["0", "33", "-1"] {
      let status = try trace(["--stacks=\(count)"]).outcome.status
      XCTAssertEqual(status, 64, count)
    }
  }
}
#endif
