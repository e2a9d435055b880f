#if Everything
import CommandOptionsAndResults
import Foundation
import TestSupport
import TracingCommands
import XCTest

final class ProgramInspectionTests: XCTestCase {
  /// Checks that a program is refused, by its path, with a code and a word of the message.
  private func expect(
    _ name: String, searchPath: String? = nil, isRefusedAs code: String, saying text: String,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    XCTAssertThrowsError(
      try ProgramInspection(name, searchPath: searchPath), file: file, line: line
    ) { error in
      let failure = error as? Failure
      XCTAssertEqual(failure?.code, code, "\(error)", file: file, line: line)
      for part in [name, text] where !part.isEmpty {
        XCTAssertTrue(failure?.message.contains(part) ?? false, "\(error)", file: file, line: line)
      }
    }
  }

  // MARK: What can be traced

  func testPositionIndependentProgramsAndOthersCanBeTraced() throws {
    let victims = try CompiledFiles(self)
    for options in [["-pie", "-fPIE"], ["-no-pie"]] {
      let path = try victims.compile("victim", options)
      let program = try ProgramInspection(path)
      XCTAssertEqual(program.path, path)
      XCTAssertEqual(program.tracedPath, path)
      XCTAssertEqual(program.notes, [])
    }
  }

  func testAProgramThatCallsTheSharedRuntimeCanBeTraced() throws {
    let source = """
      void *_Block_copy(const void *block);
      int main(void) { return _Block_copy(0) != 0; }
      """
    let victims = try CompiledFiles(self)
    let library = try victims.compile(
      "libruntime.so", ["-shared", "-fPIC"],
      source: "void *_Block_copy(const void *block) { return 0; }")
    for options in [["-pie", "-fPIE"], ["-no-pie"]] {
      let path = try victims.compile("client", options + [library], source: source)
      XCTAssertEqual(try ProgramInspection(path).notes, [])
    }
  }

  func testAStrippedProgramCanBeTracedWithAWarning() throws {
    let path = try CompiledFiles(self).compile("victim", ["-s"])
    let doubt = try ProgramInspection(path).doubt
    XCTAssertTrue(doubt?.contains("\(path) is stripped") ?? false, doubt ?? "none")
  }

  func testTheTestsThemselvesCanBeTraced() throws {
    XCTAssertEqual(try ProgramInspection("/proc/self/exe").notes, [])
  }

  // MARK: Where programs are found

  func testANameIsLookedUpAsExecvpDoesIt() throws {
    let victims = try CompiledFiles(self)
    _ = try victims.write("denied", "".utf8, mode: 0o644)
    let shell = try ProgramInspection(
      "sh", searchPath: "/nowhere:\(victims.directory):/usr/bin:/bin")
    XCTAssertEqual(shell.path, "/usr/bin/sh")
    expect(
      "denied", searchPath: victims.directory, isRefusedAs: "programNotExecutable", saying: "+x")
    expect("sh", searchPath: "/nowhere", isRefusedAs: "programNotFound", saying: "PATH")
    expect("sh", searchPath: "", isRefusedAs: "programNotFound", saying: "./sh")
  }

  func testWhatIsNotThereOrNoProgramIsRefused() throws {
    let victims = try CompiledFiles(self)
    expect("", isRefusedAs: "programNotFound", saying: "empty")
    expect("/nowhere/at/all", isRefusedAs: "programNotFound", saying: "check the path")
    expect(victims.directory + "/", isRefusedAs: "programNotExecutable", saying: "directory")
    expect("/dev/null", isRefusedAs: "programNotExecutable", saying: "may not be executed")
    let pipe = "\(victims.directory)/pipe"
    XCTAssertEqual(unsafe mkfifo(pipe, 0o755), 0)
    expect(pipe, isRefusedAs: "programNotExecutable", saying: "may not be executed")
    let words = try victims.write("words", "int main".utf8)
    expect(words, isRefusedAs: "notAProgram", saying: "sh \(words)")
    expect(try victims.write("empty", []), isRefusedAs: "notAProgram", saying: "#!")
    expect(
      try victims.compile("object", ["-c"]), isRefusedAs: "programNotExecutable", saying: "chmod +x"
    )
    XCTAssertEqual(unsafe chmod("\(victims.directory)/object", 0o755), 0)
    expect(
      "\(victims.directory)/object", isRefusedAs: "notAProgram", saying: "not a program")
  }

  // MARK: Scripts

  func testTheInterpreterOfAScriptIsWhatIsTraced() throws {
    let victims = try CompiledFiles(self)
    let path = try victims.compile()
    for line in [
      "#!\(path)", "#! \t\(path) -x -y", "#!/usr/bin/env victim", "#!/usr/bin/env -S A=b victim -x",
    ] {
      let script = try victims.write("script", "\(line)\necho\n".utf8)
      let program = try ProgramInspection(script, searchPath: victims.directory)
      XCTAssertEqual(program.path, script)
      XCTAssertEqual(program.tracedPath, path, line)
      XCTAssertEqual(program.notes, ["\(script) is a script: \(path) is traced"])
    }
  }

  func testAScriptIsRefusedForItsInterpreter() throws {
    let victims = try CompiledFiles(self)
    func script(_ line: String) throws -> String {
      try victims.write("script", "#!\(line)\n".utf8)
    }
    expect(try script("/nowhere/sh"), isRefusedAs: "programNotFound", saying: "/nowhere/sh")
    expect(try script("/usr/bin/env nobody"), isRefusedAs: "programNotFound", saying: "nobody")
    expect(try script(""), isRefusedAs: "notAProgram", saying: "interpreter")
    expect(
      try script(String(repeating: "/a", count: 200)), isRefusedAs: "notAProgram", saying: "#!")
    expect(
      try script("\(victims.directory)/script"), isRefusedAs: "notAProgram", saying: "5 deep")
    let fixed = try victims.compile("fixed", ["-static"])
    XCTAssertThrowsError(try ProgramInspection(try script(fixed))) { error in
      XCTAssertEqual((error as? Failure)?.code, "staticProgram")
    }
  }

  // MARK: What the loader does not preload into

  func testStaticallyLinkedProgramsAreRefused() throws {
    let victims = try CompiledFiles(self)
    expect(
      try victims.compile("fixed", ["-static"]), isRefusedAs: "staticProgram",
      saying: "without -static")
    expect(
      try victims.compile("moving", ["-static-pie", "-fPIE", "-fuse-ld=lld"]),
      isRefusedAs: "staticProgram",
      saying: "without -static-pie")
  }

  func testProgramsWithPrivilegesAreRefused() throws {
    let path = try CompiledFiles(self).compile()
    for (mode, text) in [(mode_t(0o4755), "set-user-id"), (0o2755, "set-group-id")] {
      XCTAssertEqual(unsafe chmod(path, mode), 0)
      expect(path, isRefusedAs: "privilegedProgram", saying: text)
    }
    XCTAssertEqual(unsafe chmod(path, 0o755), 0)
    XCTAssertNoThrow(try ProgramInspection(path))
  }

  func testProgramsWithCapabilitiesAreRefused() throws {
    let path = try CompiledFiles(self).compile()
    let outcome = try CommandLineTool.run(
      ["PATH=/usr/sbin:/sbin:/usr/bin:/bin", "setcap", "cap_net_raw+ep", path],
      executable: URL(fileURLWithPath: "/usr/bin/env"))
    try XCTSkipIf(outcome.status != 0, "setcap is not possible here: \(outcome.errors)")
    expect(path, isRefusedAs: "privilegedProgram", saying: "capabilities")
  }

  func testAnotherLoaderIsRefused() throws {
    let path = try CompiledFiles(self).compile(
      "victim", ["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"])
    expect(path, isRefusedAs: "otherLoader", saying: "/lib/ld-musl-x86_64.so.1")
  }

  // MARK: What has the runtime inside

  func testAProgramWithThreadSanitizerIsRefusedForIt() throws {
    let source =
      "void __tsan_init(void) {} void dispatch_async(void) {} int main(void) { return 0; }"
    expect(
      try CompiledFiles(self).compile("sanitized", source: source), isRefusedAs: "threadSanitizer",
      saying: "build it without -fsanitize=thread")
  }

  func testProgramsWithARuntimeOfTheirOwnAreRefused() throws {
    let victims = try CompiledFiles(self)
    let copy = "void *_Block_copy(const void *b) { return (void *)b; } int main(void) { return 0; }"
    let async = "void dispatch_async(void) {} int main(void) { return 0; }"
    expect(
      try victims.compile("copy", source: copy), isRefusedAs: "staticDispatch",
      saying: "_Block_copy of its own")
    expect(
      try victims.compile("async", source: async), isRefusedAs: "staticDispatch",
      saying: "dispatch_async of its own")
    // Stripped, but exported.
    expect(
      try victims.compile("exported", ["-s", "-rdynamic"], source: copy),
      isRefusedAs: "staticDispatch", saying: "without -static-stdlib")
    // Longer names, variables and imports are something else.
    let others =
      "void my_Block_copy(void) {} int dispatch_async, _Block_copy_count; int main(void) {}"
    XCTAssertNoThrow(try ProgramInspection(victims.compile("others", ["-w"], source: others)))
  }

  // MARK: Files that lie

  func testOtherMachinesAreRefused() throws {
    let victims = try CompiledFiles(self)
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: victims.compile())))
    let ours = bytes[18]
    bytes[18] = 243
    expect(
      try victims.write("other", bytes), isRefusedAs: "otherMachine", saying: "RISC-V")
    (bytes[4], bytes[18]) = (1, 3)
    expect(
      try victims.write("small", bytes), isRefusedAs: "otherMachine", saying: "32-bit i386")
    (bytes[4], bytes[5], bytes[18], bytes[19]) = (2, 2, 0, ours)
    expect(try victims.write("big", bytes), isRefusedAs: "otherMachine", saying: "for")
  }

  func testEveryTruncationIsRefused() throws {
    let victims = try CompiledFiles(self)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: victims.compile()))
    let lengths = Array(0..<128) + Array(stride(from: 128, to: bytes.count, by: 37))
    for length in lengths + [bytes.count - 1] {
      let path = try victims.write("cut", bytes.prefix(length))
      expect(
        path, isRefusedAs: length < 4 ? "notAProgram" : "programDamaged", saying: "")
    }
  }

  func testChangedBytesNeverEndTheProcess() throws {
    let victims = try CompiledFiles(self)
    let intact = try [UInt8](Data(contentsOf: URL(fileURLWithPath: victims.compile())))
    var generator = SeededGenerator(seed: 11)
    let headers = Array(0..<64 + 13 * 56) + Array(intact.count - 31 * 64..<intact.count)
    var refusals: [String: Int] = [:]
    let rounds = shortened(2_000)
    for _ in 0..<rounds {
      var bytes = intact
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        // Most changes hit headers, and the extremes are frequent.
        let place =
          Bool.random(using: &generator)
          ? headers.randomElement(using: &generator) ?? 0
          : Int.random(in: 0..<bytes.count, using: &generator)
        let value = [0, 0xFF, 0x7F, UInt8.random(in: 0...255, using: &generator)]
        bytes[place] = value.randomElement(using: &generator) ?? 0
      }
      do {
        _ = try ProgramInspection(victims.write("changed", bytes))
      } catch let failure as Failure {
        refusals[failure.code, default: 0] += 1
      }
    }
    XCTAssertGreaterThan(refusals["programDamaged"] ?? 0, rounds / 20, "\(refusals)")
    XCTAssertLessThan(refusals.values.reduce(0, +), rounds)
  }
}
#endif
