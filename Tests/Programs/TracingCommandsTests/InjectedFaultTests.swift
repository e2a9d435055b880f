#if Everything
import Foundation
import TestSupport
import XCTest

/// Faults that `hook-demo interpose` injects into real programs.
final class InjectedFaultTests: XCTestCase {
  private static let source = """
    #include <errno.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    static void say(const char *text) {
      if (write(1, text, 2) < 0) fprintf(stderr, "errno %d\\n", errno);
    }
    int main(void) {
      for (const char *text = "1 2 3 4 5 6 "; *text; text += 2) say(text);
      if (open("/dev/null", O_RDONLY) < 0) fprintf(stderr, "closed %d\\n", errno);
      return 7;
    }
    """

  private struct Row {
    let options: [String]
    var function = "write"
    let output: String
    /// Patterns of lines of standard error.
    let errors: [String]
  }

  private static let rows: [Row] = [
    Row(
      options: ["--fail", "ENOSPC", "--nth", "3"], output: "1 2 4 5 6 ",
      errors: [
        "errno 28", #" injected ENOSPC\(\)"#, #"write\(.*\) = i64 -1  \[called by say\]"#,
        "1 +ENOSPC +write +say +victim",
      ]),
    Row(
      options: ["--fail", "28", "--every", "4"], output: "2 3 4 6 ",
      errors: ["errno 28", "2 +ENOSPC +write +say +victim"]),
    Row(
      options: ["--fail", "eio", "--probability", "1"], output: "",
      errors: ["errno 5", "6 +EIO +write +say +victim"]),
    Row(
      options: ["--delay", "20ms", "--nth", "2", "--slower-than", "15ms"], output: "1 2 3 4 5 6 ",
      errors: [
        #"^ +[2-9]\d\.\d+ ms +\d+ +write\(.*\) = i64 2"#, #"1 +20\.00 ms +write +say +victim"#,
      ]),
    Row(
      options: ["--fail", "EAGAIN", "--delay", "1ms", "--nth", "6"], output: "1 2 3 4 5 ",
      errors: ["errno 11", #"1 +EAGAIN after 1\.000 ms +write +say +victim"#]),
    // A function with further arguments.
    Row(
      options: ["--fail", "EACCES"], function: "open", output: "1 2 3 4 5 6 ",
      errors: ["closed 13", "1 +EACCES +open +main +victim"]),
    Row(
      options: ["--delay", "1ms"], function: "open", output: "1 2 3 4 5 6 ",
      errors: [#"1 +1\.000 ms +open +main +victim"#]),
    Row(
      options: ["--fail", "EWOULDBLOCK", "--nth", "1"], output: "2 3 4 5 6 ",
      errors: ["errno 11", "1 +EAGAIN +write +say +victim"]),
    Row(
      options: ["--fail", "EIO", "--nth", "9223372036854775807"], output: "1 2 3 4 5 6 ",
      errors: ["no fault was injected"]),
    Row(
      options: ["--fail", "EIO", "--nth", "9"], output: "1 2 3 4 5 6 ",
      errors: ["no fault was injected"]),
  ]

  func testCallsFailAndWaitAsTheCommandSays() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let files = try CompiledFiles(self)
    let program = try files.compile("victim", ["-O0", "-fno-builtin"], source: Self.source)
    for row in Self.rows {
      let words = ["interpose", "--image", "victim"] + row.options + ["-", row.function]
      let outcome = try CommandLineTool.run(words + ["--", program])
      XCTAssertEqual(outcome.status, 7, "\(row.options): \(outcome.errors)")
      XCTAssertEqual(outcome.output, row.output, "\(row.options)")
      for pattern in row.errors {
        let range = outcome.errors.range(of: "(?m)\(pattern)$", options: .regularExpression)
        let start = outcome.errors.range(of: "(?m)\(pattern)", options: .regularExpression)
        XCTAssertNotNil(range ?? start, "\(row.options): \(pattern) in \(outcome.errors)")
      }
    }
  }

  func testWhatCannotBeIsRefusedByName() throws {
    let refusals: [(options: [String], words: [String], status: Int32, reason: String)] = [
      (["--fail", "NOPE"], ["write"], 64, "the name of an errno, such as ENOSPC"),
      (["--fail", "-1"], ["write"], 64, "--fail"),
      (["--fail", "0"], ["write"], 64, "the name of an errno"),
      (["--nth", "3"], ["write"], 64, "go with --fail or --delay"),
      (["--fail", "EIO", "--nth", "3", "--every", "2"], ["write"], 64, "exclude each other"),
      (["--fail", "EIO", "--nth", "0"], ["write"], 64, "a number from 1"),
      (["--fail", "EIO", "--probability", "1.5"], ["write"], 64, "a share from 0 to 1"),
      (["--delay", "soon"], ["write"], 64, "--delay"),
      (["--fail", "99999"], ["write"], 64, "the name of an errno"),
      (["--fail", "EIO"], ["_exit"], 1, "does not return"),
      (["--fail", "EIO"], ["fread"], 1, "neither a number that can be -1 nor a pointer"),
    ]
    for (options, words, status, reason) in refusals {
      let outcome = try CommandLineTool.run(
        ["interpose"] + options + ["-"] + words + ["--", "/bin/cat", "/dev/null"])
      XCTAssertEqual(outcome.status, status, "\(options)")
      XCTAssertTrue(outcome.errors.contains(reason), "\(options): \(outcome.errors)")
    }
  }
}
#endif
