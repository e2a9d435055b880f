#if Everything
import Foundation
import TestSupport
import XCTest

/// Files and lines beside the names of code.
final class TracedLocationsTests: XCTestCase {
  private static let swift = """
    import Dispatch
    let queue = DispatchQueue(label: "lines")
    let done = DispatchSemaphore(value: 0)
    @inline(never) func submit(_ number: Int) {
      queue.async {
        if number == CommandLine.argc { done.signal() }
      }
      done.wait()
    }
    submit(1)
    await Task(name: "a name") { try? await Task.sleep(for: .milliseconds(1)) }.value
    """

  /// Prints 1 after a block has run, and becomes another file before that if it has an argument.
  private static let c = """
    #include <dispatch/dispatch.h>
    #include <stdio.h>
    int main(int count, char **words) {
      if (count > 1 && rename(words[1], words[0]) != 0) return 1;
      dispatch_sync(dispatch_queue_create("lines", 0), ^{
        puts("1");
      });
    }
    """

  override func setUpWithError() throws {
    try XCTSkipIf(isEmulated, "the symbolizer is slow in emulation")
    let search = try CommandLineTool.run(
      ["sh", "-c", "command -v llvm-symbolizer"], executable: URL(fileURLWithPath: "/usr/bin/env"))
    try XCTSkipIf(search.status != 0, "the machine has no llvm-symbolizer")
  }

  func testNamesHaveTheFilesAndLinesOfClosuresAndOfCalls() throws {
    for option in ["-Onone", "-O"] {
      let program = try TracedProgram(self, swift: Self.swift, [option, "-g"])
      let (html, perfetto) = ("\(program.path).html", "\(program.path).perfetto")
      let run = try program.trace(["--html", html, "--perfetto", perfetto, "--count"])
      let closure = run.rows.first { $0.shortName == "submit › closure #1" && !$0.isWait }
      // An optimised closure may have no instruction of its first line.
      XCTAssertTrue(["main.swift:5", "main.swift:6"].contains(closure?.location), "\(run.rows)")
      for words in ["submit › closure #1 (main.swift:", "called by submit (main.swift:8)"] {
        XCTAssertTrue(
          run.outcome.errors.contains(words), "\(option): \(words)\n\(run.outcome.errors)")
      }
      let page = try String(contentsOfFile: html, encoding: .utf8)
      XCTAssertTrue(page.contains("main.swift:\(closure?.location?.last ?? "?")"))
      let track = try String(
        decoding: Data(contentsOf: URL(fileURLWithPath: perfetto)), as: UTF8.self)
      XCTAssertTrue(track.contains("/main.swift"))
    }
  }

  func testTheNameOfATaskStandsInEveryOutput() throws {
    let program = try TracedProgram(self, swift: Self.swift, ["-O", "-g"])
    let (perfetto, tables) = ("\(program.path).perfetto", "\(program.path).tables")
    let text = try program.errors(["--perfetto", perfetto, "--tables", tables, "--summary"])
    let rows = text.split(separator: "\n").filter { $0.contains("a name") }
    XCTAssertTrue(rows.contains { $0.hasSuffix("), a name") }, text)
    XCTAssertTrue(rows.contains { $0.contains("(a name) created by") }, text)
    let track = try String(
      decoding: Data(contentsOf: URL(fileURLWithPath: perfetto)), as: UTF8.self)
    XCTAssertTrue(track.contains("taskName") && track.contains("a name"))
    let document = try String(contentsOfFile: tables, encoding: .utf8)
    XCTAssertTrue(document.contains("\"taskNames\":[\"a name\"]"), document)
  }

  func testProgramsAreFoundHoweverTheyAreLinkedAndWhereverTheirDebugInformationIs() throws {
    for options in [["-pie", "-fPIE"], ["-no-pie", "-fno-pie"], ["-Wl,--build-id=none"]] {
      let program = try TracedProgram(self, c: Self.c, ["-g"] + options)
      XCTAssertEqual(try location(of: program), "program.c:5", "\(options)")
      let shell = """
        cd \(program.files.directory) && objcopy --only-keep-debug program program.debug &&
        strip program && objcopy --add-gnu-debuglink=program.debug program
        """
      let split = try CommandLineTool.run(
        ["sh", "-c", shell], executable: URL(fileURLWithPath: "/usr/bin/env"))
      XCTAssertEqual(split.status, 0, split.errors)
      XCTAssertEqual(try location(of: program), "program.c:5", "\(options), apart")
      try FileManager.default.removeItem(atPath: "\(program.path).debug")
      let run = try program.trace(["--count"])
      XCTAssertEqual(run.rows.compactMap(\.location), [])
      XCTAssertFalse(run.outcome.errors.contains("files and lines"), run.outcome.errors)
    }
  }

  func testAFileThatIsAnotherOneNowIsNotAsked() throws {
    for option in ["-Wl,--build-id", "-Wl,--build-id=none"] {
      let program = try TracedProgram(self, c: Self.c, ["-g", option])
      let other = try TracedProgram(self, c: "// Another line.\n\(Self.c)", ["-g", option])
      XCTAssertEqual(try location(of: program), "program.c:5", option)
      XCTAssertNil(try location(of: program, words: [other.path]), option)
      XCTAssertEqual(try location(of: program), "program.c:6", option)
    }
  }

  func testWithoutASymbolizerNamesStandAloneAndThatIsSaidOnce() throws {
    let program = try TracedProgram(self, c: Self.c, ["-g"])
    let text = try program.errors(
      ["--summary", "--json", "\(program.path).json"],
      environment: ["BLOCKRUNTIME_SYMBOLIZER": "/no/such/symbolizer"])
    let remarks = text.components(separatedBy: "no more files and lines: /no/such/symbolizer:")
    XCTAssertEqual(remarks.count, 2, text)
    XCTAssertFalse(text.contains("program.c"), text)
  }

  func testALibraryIsFoundThoughItsPathWasRelativeToAnotherFolder() throws {
    let program = try TracedProgram(
      self,
      c: """
        #include <dlfcn.h>
        #include <unistd.h>
        int main(int count, char **words) {
          if (chdir(words[1]) != 0) return 1;
          void *library = dlopen("./library.so", RTLD_NOW);
          if (!library || chdir(words[2]) != 0) return 2;
          ((void (*)(void))dlsym(library, "run"))();
        }
        """, ["-g"])
    let libraries = try ["first", "other"].map { folder in
      try FileManager.default.createDirectory(
        atPath: "\(program.files.directory)/\(folder)", withIntermediateDirectories: false)
      return try program.library(
        "\(folder)/library.so",
        c: """
          #include <dispatch/dispatch.h>
          #include <stdio.h>
          #line 777 "\(folder).c"
          static void \(folder)(void) {
            dispatch_sync(dispatch_queue_create("lines", 0), ^{
              puts("1");
            });
          }
          void run(void) { \(folder)(); }
          """, ["-g"])
    }
    let folders = libraries.map { String($0.dropLast("/library.so".count)) }
    for words in [[folders[0], "."], folders] {
      let run = try program.trace([], words)
      let block = try XCTUnwrap(run.rows.first { !$0.isWait }, run.outcome.errors)
      XCTAssertEqual(block.name, "__first_block_invoke")
      XCTAssertEqual(block.location, "first.c:778")
      XCTAssertEqual(block.image, libraries[0])
      XCTAssertEqual(run.rows.first { $0.isWait }?.stack, ["first"])
    }
  }

  func testAProgramThatWasStartedUnderAnotherOnesNameIsFound() throws {
    let source = """
      #include <dispatch/dispatch.h>
      #include <unistd.h>
      int main(int count, char **words) {
        if (count > 1) return execl("/proc/self/exe", words[1], (char *)0);
        dispatch_sync(dispatch_queue_create("lines", 0), ^{ write(1, "1", 1); });
      }
      """
    let program = try TracedProgram(self, c: source, ["-g"])
    let other = try TracedProgram(self, c: "// Another line.\n\(source)", ["-g"])
    let run = try program.trace([], [other.path])
    let block = try XCTUnwrap(run.rows.first { !$0.isWait }, run.outcome.errors)
    XCTAssertEqual(block.location, "program.c:5")
    XCTAssertEqual(block.image, program.path)
  }

  func testAPipeInTheProgramsPlaceIsNotOpened() throws {
    let program = try TracedProgram(
      self,
      c: """
        #include <dispatch/dispatch.h>
        #include <sys/stat.h>
        #include <unistd.h>
        int main(int count, char **words) {
          dispatch_sync(dispatch_queue_create("lines", 0), ^{ unlink(words[0]); });
          return mkfifo(words[0], 0600);
        }
        """, ["-g"])
    let text = try program.errors(["--count"])
    XCTAssertTrue(text.contains("__main_block_invoke"), text)
  }

  func testASymbolizerThatWritesWithoutEndIsEnded() throws {
    let program = try TracedProgram(self, c: Self.c, ["-g"])
    for command in ["yes file.c:1:1", "cat /dev/zero"] {
      let script = try program.files.write(
        "symbolizer", Array("#!/bin/sh\nexec \(command)\n".utf8))
      let text = try program.errors(
        ["--count"], environment: ["BLOCKRUNTIME_SYMBOLIZER": script])
      XCTAssertTrue(text.contains("no more files and lines: \(script): it wrote too much"), text)
      XCTAssertFalse(text.contains("file.c"), text)
    }
  }

  /// Where the program's block was written.
  private func location(of program: TracedProgram, words: [String] = []) throws -> String? {
    let run = try program.trace([], words)
    XCTAssertEqual(run.outcome.output, "1\n", run.outcome.errors)
    let block = try XCTUnwrap(run.rows.first { !$0.isWait }, run.outcome.errors)
    return block.location
  }
}
#endif
