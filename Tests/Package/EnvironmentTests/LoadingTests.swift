import Foundation
import TestSupport
import XCTest

/// Imports that are hooked while the loader relocates and protects an object that has them.
///
/// What goes wrong there ends the process, so each has one of its own.
final class LoadingTests: XCTestCase {
  /// Compiles a library that defines `foo`, and one whose `user` calls it.
  private func compile(
    _ name: String, _ options: [String], _ files: CompiledFiles, with source: String
  ) throws -> [String] {
    let library = try files.compile(
      "libloading.so", ["-shared", "-fPIC"], source: "int foo(int x) { return x; }")
    let client = try files.compile(
      "libloading_\(name).so",
      ["-shared", "-fPIC", "-O1", "-L\(files.directory)", "-Wl,-rpath,$ORIGIN"] + options,
      source: "int foo(int x); int user(int x) { return foo(x) + 1; }\n\(source)",
      libraries: ["-lloading"])
    return [library, client]
  }

  private func expect(_ arguments: [String], _ name: String, _ lines: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("EnvironmentProbe")
    process.arguments = ["loading"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationReason, .exit, name)
    XCTAssertEqual(
      String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init), lines, name)
  }

  func testHooksBesideLoadsAreNeitherLostNorLeftBehindAndWriteToNoProtectedSlot() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for dlopen")
    let links = [
      "protected": ["-Wl,-z,relro,-z,now"],
      "protected_address": ["-fno-plt", "-Wl,-z,relro,-z,now"],
      "open": ["-Wl,-z,norelro,-z,now"],
      "lazy": ["-Wl,-z,relro,-z,lazy"],
    ]
    for (name, options) in links {
      // Many relocations give time to come in between.
      let source = """
        static int words[20000];
        int *const table[] = {
        \((0..<20_000).map { "&words[\($0)]," }.joined())
        };
        """
      let paths = try compile(name, options, CompiledFiles(self), with: source)
      try expect(
        paths + ["\(shortened(50))"], name, ["hooks lost: 0, left behind: 0", "wrong results: 0"])
    }
  }

  /// What is written is what was looked at: the loader, and libraries like this one, change slots
  /// too.
  func testCodeThatSomebodyElsePutsIntoASlotMeanwhileIsNotOverwritten() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for dlopen")
    let paths = try compile("open", ["-Wl,-z,norelro,-z,now"], CompiledFiles(self), with: "")
    try expect(paths + ["200", "rebinding"], "open", ["overwritten: 0, removed: 2"])
  }

  /// The loader asks the resolver in the midst of relocation.
  private static let resolver = """
    int one(void) { return 1; }
    int (*resolve(void))(void) { (*(void (**)(void))0x500000000000)(); return one; }
    int resolved(void) __attribute__((ifunc("resolve")));
    int (*table[])(void) = {resolved};
    """

  /// A slot that is not relocated holds what stands in the file: 0, or an address to which the
  /// loader is about to add the object's.
  func testSlotsThatAreNotRelocatedAreNoFunctionsAndAreHookedByALaterPass() throws {
    try XCTSkipIf(isSanitized, "sanitizers instrument what the loader runs")
    for linker in ["bfd", "gold", "lld", "mold"] where (try? Compiler("ld.\(linker)")) != nil {
      for binding in ["now", "lazy"] {
        let name = "\(linker)_\(binding)"
        // The loader comes to the calls behind the resolver.
        let paths = try compile(
          name, ["-fuse-ld=\(linker)", "-Wl,-z,\(binding)"], CompiledFiles(self),
          with: Self.resolver)
        try expect(
          paths, name,
          ["bound: [false], hooked: [false]", "loaded: 2, followed: 102, removed: 2"])
      }
    }
  }

  /// The loader protects what it has relocated at any moment, whatever can be written meanwhile.
  func testSlotsThatAreRelocatedAndNotProtectedYetAreHookedByALaterPass() throws {
    try XCTSkipIf(isSanitized, "sanitizers instrument what the loader runs")
    let rows = [
      ("relro", ["bound: [true], hooked: [false]", "loaded: 2, followed: 102, removed: 2"]),
      ("norelro", ["bound: [true], hooked: [true]", "loaded: 102, followed: 102, removed: 2"]),
    ]
    for linker in ["bfd", "gold", "lld"] where (try? Compiler("ld.\(linker)")) != nil {
      for (protection, lines) in rows {
        let name = "\(linker)_\(protection)"
        // Addresses that are taken come before the resolver.
        let paths = try compile(
          name, ["-fno-plt", "-fuse-ld=\(linker)", "-Wl,-z,now,-z,\(protection)"],
          CompiledFiles(self), with: Self.resolver)
        try expect(paths, name, lines)
      }
    }
  }
}
