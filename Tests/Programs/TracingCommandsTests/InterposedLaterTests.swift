#if Everything
import Foundation
import TestSupport
import XCTest

/// Functions that a program does not have when it begins, shown by `hook-demo interpose`.
final class InterposedLaterTests: XCTestCase {
  private static let plain = """
    #include <stdio.h>
    #include <stdlib.h>
    int main(void) { puts(getenv("HOME") ? "began" : "began without a home"); return 3; }
    """

  /// Loads a library, and calls a function of it that calls one of another library.
  private static let loader = """
    #include <dlfcn.h>
    #include <stdio.h>
    int main(int count, char **words) {
      void *plugin = dlopen(words[1], RTLD_NOW);
      int (*twice)(int) = plugin ? (int (*)(int))dlsym(plugin, "plugin_twice") : 0;
      printf("%d\\n", twice ? twice(21) : 0);
      return 3;
    }
    """

  // Not where programs are compiled: assertions report what is thrown in them as errors, skips too.
  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
  }

  private func interpose(
    _ function: String, _ program: [String], options: [String] = []
  ) throws -> CommandLineTool.Outcome {
    try CommandLineTool.run(["interpose"] + options + ["-", function, "ii", "--"] + program)
  }

  /// A library whose function calls `doubled` of another one.
  private func plugin(_ files: CompiledFiles) throws -> String {
    _ = try files.compile(
      "libdoubled.so", ["-shared", "-fPIC"], source: "int doubled(int side) { return 2 * side; }")
    return try files.compile(
      "libplugin.so", ["-shared", "-fPIC"],
      source: "int doubled(int); int plugin_twice(int side) { return doubled(side); }",
      libraries: ["-L\(files.directory)", "-ldoubled", "-Wl,-rpath,\(files.directory)"])
  }

  func testAFunctionThatDoesNotExistIsRefusedBeforeTheProgramBegins() throws {
    let program = try CompiledFiles(self).compile("plain", ["-O0"], source: Self.plain)
    for (function, message) in [
      ("getenvv", "symbolNotFound: no loaded object defines getenvv; did you mean getenv? "),
      ("bcmp", "reservedFunction: bcmp is called on the way to every handler, which "),
    ] {
      let outcome = try interpose(function, [program])
      XCTAssertEqual(outcome.status, 1, function)
      XCTAssertEqual(outcome.output, "", function)
      XCTAssertTrue(outcome.errors.hasPrefix("hook-demo: \(message)"), outcome.errors)
      XCTAssertTrue(outcome.errors.hasSuffix(" \(program) was not started\n"), outcome.errors)
      XCTAssertEqual(outcome.errors.filter { $0 == "\n" }.count, 1, outcome.errors)
    }
  }

  func testAFunctionThatNoLoadedLibraryBringsEitherFailsAtTheEnd() throws {
    let files = try CompiledFiles(self)
    let program = try files.compile("loader", ["-O0"], source: Self.loader, libraries: ["-ldl"])
    let outcome = try interpose("doublet", [program, try plugin(files)])
    XCTAssertEqual(outcome.status, 1, outcome.errors)
    XCTAssertEqual(outcome.output, "42\n")
    let lines = outcome.errors.split(separator: "\n")
    // What the program goes on for is said while it runs; it may have ended before that.
    for line in lines.dropLast() {
      XCTAssertTrue(line.hasSuffix("(\(program) goes on; what it loads or starts is looked at)"))
    }
    XCTAssertEqual(
      lines.last,
      "hook-demo: symbolNotFound: no loaded object defines doublet; did you mean doubled? "
        + "\(program) exited with status 3, untraced")
  }

  func testALibraryThatLacksTheFunctionIsNotWaitedFor() throws {
    let files = try CompiledFiles(self)
    let program = try files.compile("loader", ["-O0"], source: Self.loader, libraries: ["-ldl"])
    let outcome = try CommandLineTool.run(
      ["interpose", "libc.so.6", "printg", "i*", "--", program, try plugin(files)])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertEqual(
      outcome.errors,
      "hook-demo: symbolNotFound: libc.so.6 defines no printg; did you mean printf? "
        + "\(program) was not started\n")
  }

  func testAFunctionOfALibraryThatIsLoadedLaterIsShown() throws {
    let files = try CompiledFiles(self)
    let program = try files.compile("loader", ["-O0"], source: Self.loader, libraries: ["-ldl"])
    let outcome = try interpose("doubled", [program, try plugin(files)])
    XCTAssertEqual(outcome.status, 3, outcome.errors)
    XCTAssertEqual(outcome.output, "42\n")
    XCTAssertTrue(
      outcome.errors.contains("  doubled(i32 21) = i32 42  [called by plugin_twice]\n"),
      outcome.errors)
  }

  func testAFunctionOfAProgramThatIsStartedIsShown() throws {
    let files = try CompiledFiles(self)
    _ = try plugin(files)
    let program = try files.compile(
      "client", ["-O0"],
      source: "int doubled(int); int main(void) { return doubled(2); }",
      libraries: ["-L\(files.directory)", "-ldoubled", "-Wl,-rpath,\(files.directory)"])
    let shell = ["sh", "-c", "\(program); exit $?"]
    let outcome = try interpose("doubled", shell)
    XCTAssertEqual(outcome.status, 4, outcome.errors)
    XCTAssertTrue(
      outcome.errors.contains("  doubled(i32 2) = i32 4  [called by main]\n"), outcome.errors)
    let alone = try interpose("doubled", shell, options: ["--no-follow"])
    XCTAssertEqual(alone.status, 1, alone.errors)
    XCTAssertTrue(alone.errors.hasSuffix("sh was not started\n"), alone.errors)
  }
}
#endif
