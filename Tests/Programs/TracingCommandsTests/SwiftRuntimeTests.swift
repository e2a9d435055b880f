#if Everything
import Foundation
import TestSupport
import XCTest

/// Programs whose Swift runtime the tracer cannot share.
final class SwiftRuntimeTests: XCTestCase {
  /// A library of the runtime's name that has nothing of it, and a program that needs it.
  private func program(_ files: CompiledFiles) throws -> String {
    let library = try files.compile(
      "libswiftCore.so", ["-shared", "-fPIC", "-Wl,-soname,libswiftCore.so"],
      source: "int version(void) { return 5; }")
    return try files.compile(
      "program",
      source: """
        #include <stdio.h>
        int version(void);
        int main(void) { puts("ran"); return version(); }
        """, libraries: [library, "-Wl,-rpath,\(files.directory)"])
  }

  func testAProgramWhoseRuntimeLacksSymbolsIsRefusedBeforeItRuns() throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    let files = try CompiledFiles(self)
    let path = try program(files)
    XCTAssertEqual(
      try CommandLineTool.run([], executable: URL(fileURLWithPath: path)).status, 5)
    for command in [["trace"], ["interpose", "-", "puts", "i*"]] {
      let outcome = try CommandLineTool.run(command + ["--", path])
      XCTAssertEqual(outcome.status, 1)
      XCTAssertEqual(outcome.output, "")
      for part in [
        path, "\(files.directory)/libswiftCore.so", "lacks", "build the program with Swift 6.2",
      ] {
        XCTAssertTrue(outcome.errors.contains(part), "\(part): \(outcome.errors)")
      }
    }
  }
}
#endif
