import Foundation
import TestSupport
import XCTest

/// Calls of C functions by real programs, shown by `hook-demo interpose`.
final class InterposeCommandTests: XCTestCase {
  private static let source = """
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    int main(int count, char **words) {
      setenv("INTERPOSED", "value", 1);
      puts(getenv("INTERPOSED"));
      if (!getenv("NOT_THERE")) puts("nothing");
      void *volatile memory;
      for (int round = 0; round < 100; round++) free(memory = malloc(4711));
      close(open("/dev/null", O_RDONLY));
      return 3;
    }
    """

  private func interpose(
    _ options: [String], _ words: [String]
  ) throws -> (outcome: CommandLineTool.Outcome, calls: [[String: Any]]) {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let files = try CompiledFiles(self)
    let program = try files.compile("victim", ["-O0", "-fno-builtin"], source: Self.source)
    let file = "\(files.directory)/calls.jsonl"
    let outcome = try CommandLineTool.run(
      ["interpose", "--json", file] + options + words + ["--", program])
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let calls = try text.split(separator: "\n").map { try CommandLineTool.document(String($0)) }
    return (outcome, calls)
  }

  func testAFunctionPrintsItsArgumentsAndItsResult() throws {
    let (outcome, calls) = try interpose(["--image", "victim"], ["-", "getenv", "*r*"])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertEqual(outcome.output, "value\nnothing\n")
    XCTAssertTrue(
      outcome.errors.contains(/duration   thread  call.*\n.*\d  getenv\("INTERPOSED"\) = "value"/),
      outcome.errors)
    XCTAssertEqual(
      calls.map { $0["arguments"] as? [String] }, [[#""INTERPOSED""#], [#""NOT_THERE""#]])
    XCTAssertEqual(calls.map { $0["name"] as? String }, ["getenv", "getenv"])
  }

  func testMemoryIsAllocatedAndTheLibraryOfTheFunctionCanBeNamed() throws {
    let (outcome, calls) = try interpose(
      ["--quiet", "--image", "victim"], ["libc.so.6", "malloc", "^vQ"])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertEqual(outcome.errors, "")
    XCTAssertEqual(calls.filter { $0["arguments"] as? [String] == ["u64 4711"] }.count, 100)
    let (everywhere, all) = try interpose(["--quiet"], ["-", "malloc", "^vQ"])
    XCTAssertEqual(everywhere.status, 3, everywhere.errors)
    XCTAssertGreaterThanOrEqual(all.count, 100)
  }

  func testAFunctionOfAnyNumberOfArgumentsIsShown() throws {
    let (outcome, calls) = try interpose(["--image", "victim"], ["-", "open", "ir*i"])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertEqual(calls.map { $0["arguments"] as? [String] }, [[#""/dev/null""#, "i32 0"]])
  }

  func testWhatIsWrongIsSaid() throws {
    let rows: [([String], Int32, String)] = [
      (["-", "no_such_function", "v"], 1, "hook-demo: symbolNotFound: "),
      (["libnothing.so", "getenv", "*r*"], 1, "hook-demo: libraryNotFound: "),
      (["-", "getenv", "*r"], 1, "hook-demo: "),
      (["-", "strerror", "*i"], 3, "no call of strerror was seen"),
    ]
    for (words, status, message) in rows {
      let (outcome, calls) = try interpose([], words)
      XCTAssertEqual(outcome.status, status, "\(words): \(outcome.errors)")
      XCTAssertTrue(outcome.errors.contains(message), "\(words): \(outcome.errors)")
      XCTAssertEqual(calls.count, 0)
    }
    XCTAssertEqual(try CommandLineTool.run(["interpose", "-", "getenv"]).status, 64)
    XCTAssertEqual(try CommandLineTool.run(["interpose", "-", "getenv", "*r*"]).status, 64)
  }
}
