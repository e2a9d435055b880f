#if Everything
import Foundation
import TestSupport
import XCTest

/// What the tracer does in a program before that begins, and which environment that finds.
final class TracedStartTests: XCTestCase {
  /// Prints its environment, to a file if one is named; or leaves a process that does that, as another
  /// program, when its standard input ends.
  private static let program = #"""
    #include <dispatch/dispatch.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <unistd.h>
    extern char **environ;
    static int print(void) {
      for (char **line = environ; *line; line++) puts(*line);
      return 0;
    }
    int main(int count, char **words) {
      dispatch_sync(dispatch_get_global_queue(0, 0), ^{});
      if (count == 1) return print();
      if (fork() != 0) return 0;
      alarm(60);
      // Who waits for the program does not wait for this process.
      for (int file = 0; file < 1024; file++) close(file);
      char byte;
      while (read(open(words[1], O_RDONLY), &byte, 1) > 0) {}
      dup2(open(words[2], O_WRONLY), STDOUT_FILENO);
      execl(words[0], words[0], NULL);
      return 1;
    }
    """#

  /// The sorted environment of a program that is traced in a directory for temporary files.
  private func environment(
    of program: TracedProgram, in temporary: String, _ wrapper: [String] = []
  ) throws -> [Substring] {
    let outcome = try CommandLineTool.run(
      wrapper + ["trace", "--quiet", "--", program.path],
      environment: ["TMPDIR": temporary])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    // Foundation passes the variables in any order.
    return outcome.output.split(separator: "\n").sorted()
  }

  /// The end of the name of the trace's directory.
  private func directory(_ environment: [Substring]) -> Substring? {
    environment.first { $0.hasPrefix("BLOCK_TRACER=directory=") }?.suffix(2)
  }

  func testTheEnvironmentOfAProgramIsTheSameInEveryRun() throws {
    let program = try TracedProgram(self, c: Self.program)
    let temporary = try CompiledFiles(self).directory
    let first = try environment(of: program, in: temporary)
    XCTAssertEqual(directory(first), ".0")
    XCTAssertEqual(try environment(of: program, in: temporary), first)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: temporary), [])
  }

  func testTracesThatGoOnAtOnceHaveDirectoriesOfTheirOwn() throws {
    let program = try TracedProgram(self, c: Self.program)
    let temporary = try CompiledFiles(self).directory
    let inner = try CommandLineTool.url.path
    let environment = try environment(
      of: program, in: temporary, ["trace", "--quiet", "--no-follow", "--", inner])
    XCTAssertEqual(directory(environment), ".1")
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: temporary), [])
  }

  func testADirectoryOfAnotherUserOrForAllIsNotTaken() throws {
    let program = try TracedProgram(self, c: Self.program)
    let temporary = try CompiledFiles(self).directory
    let taken = "\(temporary)/hook-demo-trace-\(getuid())"
    try FileManager.default.createDirectory(
      atPath: "\(taken).0", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o777])
    try FileManager.default.createSymbolicLink(
      atPath: "\(taken).1", withDestinationPath: try CompiledFiles(self).directory)
    try Data().write(to: URL(fileURLWithPath: "\(taken).2"))
    XCTAssertEqual(directory(try environment(of: program, in: temporary)), ".3")
  }

  func testProgramsThatAreLeftJoinNoOtherTrace() throws {
    let program = try TracedProgram(self, c: Self.program)
    let temporary = try CompiledFiles(self).directory
    let pipes = ["\(temporary)/go", "\(temporary)/output"]
    // SAFETY: the paths are null-terminated for the duration of the calls.
    for path in pipes { XCTAssertEqual(unsafe mkfifo(path, 0o600), 0) }
    let outcome = try CommandLineTool.run(
      ["trace", "--quiet", "--", program.path] + pipes, environment: ["TMPDIR": temporary],
      output: .nullDevice)
    XCTAssertTrue(outcome.errors.contains("1 program still runs"), outcome.errors)
    XCTAssertEqual(directory(try environment(of: program, in: temporary)), ".1")

    // The process goes on as another program.
    let go = try XCTUnwrap(FileHandle(forWritingAtPath: pipes[0]))
    try go.close()
    let output = try XCTUnwrap(FileHandle(forReadingAtPath: pipes[1]))
    let environmentOfTheLeft = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    XCTAssertTrue(environmentOfTheLeft.contains("TMPDIR="), environmentOfTheLeft)
    XCTAssertFalse(environmentOfTheLeft.contains("BLOCK_TRACER"), environmentOfTheLeft)
    // The first directory is free again.
    XCTAssertEqual(directory(try environment(of: program, in: temporary)), ".0")
    let rest = try FileManager.default.contentsOfDirectory(atPath: temporary)
    XCTAssertEqual(rest.sorted(), ["go", "output"])
  }

  func testTheTracerAsksAFewTimesForTheProtectionsOfAllPages() throws {
    // The program's own `open` is found first, by all libraries.
    let program = try TracedProgram(
      self,
      c: #"""
        #include <dispatch/dispatch.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <string.h>
        static int count;
        int open(const char *path, int flags, ...) {
          va_list rest;
          va_start(rest, flags);
          if (strcmp(path, "/proc/self/maps") == 0) count++;
          int file = openat(AT_FDCWD, path, flags, va_arg(rest, mode_t));
          va_end(rest);
          return file;
        }
        int main(void) {
          dispatch_sync(dispatch_get_global_queue(0, 0), ^{});
          return printf("%d\n", count) < 0;
        }
        """#, ["-rdynamic"])
    let count = try XCTUnwrap(try program.trace().count)
    XCTAssertTrue((1...6).contains(count), "\(count)")
  }
}
#endif
