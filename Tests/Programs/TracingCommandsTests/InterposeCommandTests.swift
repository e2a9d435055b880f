#if Everything
import Foundation
import TestSupport
import XCTest

@testable import TracingCommands

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

  func testAFunctionIsDeclaredInC() throws {
    let (outcome, calls) = try interpose(
      ["--image", "victim"],
      ["-", "// A comment\nchar *\n  getenv(const char *name /* of a variable\n*/)"])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertEqual(
      calls.map { $0["arguments"] as? [String] }, [[#""INTERPOSED""#], [#""NOT_THERE""#]])
    let refusals = [
      (["int abs(int)", "ii"], "leave ii out"), (["int abs(intt)"], "int"),
    ]
    for (words, text) in refusals {
      let refused = try CommandLineTool.run(["interpose", "-"] + words + ["--", "true"])
      XCTAssertNotEqual(refused.status, 0, "\(words)")
      XCTAssertTrue(refused.errors.contains(text), "\(words): \(refused.errors)")
    }
    let traced = try CommandLineTool.run(
      ["trace", "--function", "int\nunlink(const char *)", "--", "rm", "-f", "/not/there"])
    XCTAssertFalse(traced.errors.contains("unknownFunction"), traced.errors)
  }

  func testAKnownFunctionIsShownByTheNamesThatFortifiedProgramsCall() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let program = try CompiledFiles(self).compile(
      "fortified", ["-O0"],
      source: """
        #include <fcntl.h>
        #include <unistd.h>
        ssize_t __read_chk(int, void *, size_t, size_t);
        int main(void) {
          char text[16];
          int file = open("/dev/zero", O_RDONLY);
          return __read_chk(file, text, 7, 16) == 7 && read(file, text, 4) == 4 ? 3 : 1;
        }
        """)
    let outcome = try CommandLineTool.run(
      ["interpose", "--image", "fortified", "-", "read", "--", program])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertTrue(outcome.errors.contains("  __read_chk"), outcome.errors)
    XCTAssertTrue(outcome.errors.contains("  read"), outcome.errors)
    let unknown = try CommandLineTool.run(["interpose", "-", "opne", "--", program])
    XCTAssertTrue(unknown.errors.contains("did you mean open?"), unknown.errors)
    let header = try CommandLineTool.run(
      ["interpose", "--header", "stdlib.h", "-", "abs", "--", "true"])
    XCTAssertTrue(header.errors.contains("no call of abs was seen"), header.errors)
  }

  func testWhatAFormatNamesIsShownAndOtherCallsGoOn() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let files = try CompiledFiles(self)
    let program = try files.compile(
      "printing", ["-O0", "-fno-builtin"],
      source: """
        #include <fcntl.h>
        #include <stdio.h>
        int main(void) {
          for (int i = 0; i < 2; i++)
            printf("%d %s %.1f%c%*d%g %g %g %g %g %g %g %g\\n", i, "text", 2.5, '!', 9, 7, 1.0, 2.0, 3.0, 4.0,
                   5.0, 6.0, 7.0, 8.0);
          printf(open("/not/there", O_RDONLY | O_CREAT, 0600) < 0 ? "%!" : "opened");
          return 3;
        }
        """)
    let file = "\(files.directory)/calls.jsonl"
    func calls(_ function: String) throws -> [[String: Any]] {
      let outcome = try CommandLineTool.run(
        ["interpose", "--json", file, "--image", "printing", "-", function, "--", program])
      XCTAssertEqual(outcome.status, 3, outcome.errors)
      XCTAssertEqual(
        outcome.output,
        (0..<2).map { "\($0) text 2.5!        71 2 3 4 5 6 7 8\n" }.joined() + "%!", outcome.errors)
      return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
        try CommandLineTool.document(String($0))
      }
    }
    let printed = try calls("printf")
    XCTAssertEqual(
      printed.map { ($0["arguments"] as? [String])?.dropFirst().prefix(6).joined(separator: ", ") },
      [
        #"i32 0, "text", double 2.5, i32 33, i32 9, i32 7"#,
        #"i32 1, "text", double 2.5, i32 33, i32 9, i32 7"#, "",
      ])
    XCTAssertEqual(printed.map { $0["result"] as? String }, ["i32 36", "i32 36", "i32 2"])
    let opened = try calls("int open(const char *, int, ...)")
    XCTAssertEqual(opened.map { $0["arguments"] as? [String] }, [[#""/not/there""#, "i32 64"]])
    XCTAssertEqual(opened.map { $0["result"] as? String }, ["i32 -1"])
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
    XCTAssertTrue(outcome.errors.contains("lists 2 of the 3 arguments of open"), outcome.errors)
  }

  func testASignatureThatLeavesOutNothingKnownIsNotWarnedOf() throws {
    for words in [
      ["-", "open", "ir*iI"], ["-", "strerror", "*i"], ["libm.so.6", "open", "ir*i"],
    ] {
      let (outcome, _) = try interpose(["--image", "victim"], words)
      XCTAssertFalse(outcome.errors.contains("arguments of"), outcome.errors)
    }
    let traced = try CommandLineTool.run(["trace", "--function", "openat=iir*i", "--", "true"])
    XCTAssertTrue(traced.errors.contains("lists 3 of the 4 arguments of openat"), traced.errors)
  }

  /// A new file has the mode that the program gives it, by the signatures of the documents.
  func testTheDocumentedSignaturesLoseNoArgument() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let help = try CommandLineTool.run(["interpose", "--help"]).output
    let examples = help.matches(of: #/hook-demo interpose.* - (\w+) '([^']+)' -- /#)
    XCTAssertFalse(examples.isEmpty, help)
    for example in examples {
      let known = try NamedFunction.known(String(example.1))
      XCTAssertEqual(String(example.2), known[0].signature)
    }
    let text = try PackageFiles.text(
      "\(PackageFiles.folder(of: "SymbolInterposing"))/SymbolInterposing.docc/Interposing.md")
    let signature = try XCTUnwrap(text.firstMatch(of: /`([^`]+)` for `open`/)).1

    let files = try CompiledFiles(self)
    let program = try files.compile(
      "creator", ["-O0"],
      source: """
        #include <fcntl.h>
        #include <stdio.h>
        #include <sys/stat.h>
        int main(int count, char **words) {
          umask(0);
          struct stat status;
          for (int mode = 0600; mode <= 0666; mode += 022) {
            remove(words[1]);
            if (fstat(open(words[1], O_CREAT | O_WRONLY, mode), &status) != 0) return 1;
            if ((status.st_mode & 0777) != mode) printf("%o instead of %o\\n", status.st_mode, mode);
          }
        }
        """)
    let outcome = try CommandLineTool.run([
      "interpose", "--quiet", "-", "open", String(signature), "--", program,
      "\(files.directory)/created",
    ])
    XCTAssertEqual([outcome.output, outcome.errors], ["", ""])
    XCTAssertEqual(outcome.status, 0)
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
    let chrome = try CommandLineTool.run(
      ["interpose", "--chrome", "file", "-", "getenv", "*r*", "--", "true"])
    XCTAssertEqual(chrome.status, 64)
    XCTAssertTrue(chrome.errors.contains("--chrome is gone: use --perfetto FILE"), chrome.errors)
    XCTAssertEqual(try CommandLineTool.run(["interpose", "-", "getenv", "*r*"]).status, 64)
  }
}
#endif
