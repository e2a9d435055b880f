import Foundation
import TestSupport
import XCTest

/// The commands of `Tools` tell of a stopped program what it knows of itself.
final class DebuggerTests: XCTestCase {
  /// The program stops, and says before what a command must print, or must not.
  private struct Expectation {
    let isRefusal: Bool
    let command: String
    let text: String

    init?(_ line: Substring) {
      let isRefusal = line.hasPrefix("refuse ")
      guard isRefusal || line.hasPrefix("expect "), let bar = line.firstIndex(of: "|") else {
        return nil
      }
      self.isRefusal = isRefusal
      command = String(line[line.index(line.startIndex, offsetBy: 7)..<bar])
      text = String(line[line.index(after: bar)...])
    }
  }

  private static let commands = [
    "pblock heap", "pblock global", "pblock closure", "pblock capturing", "pblock watched",
    "phooks heap", "phooks global", "phooks closure", "phooks watched", "phooks capturing",
    "phooks", "pinvocation invocation", "pinvocation call", "pinvocation heap", "pblock invocation",
    "pblock 16",
    "pblock nothing_of_this_name",
  ]

  private static let products =
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let probe = products.appendingPathComponent("EnvironmentProbe").path
  private static let tools =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Tools").path

  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "sanitizers keep debuggers out")
  }

  func testGDBShowsBlocksHooksAndInvocations() throws {
    let output = try gdb(["-ex", "run"] + Self.gdbCommands + ["--args", Self.probe, "stop"])
    try XCTSkipUnless(output.contains("SIGTRAP"), "gdb may not run programs here: \(output)")
    try check(output, expectations(in: output))
  }

  /// Nothing is called in the program: a core file does as well.
  func testGDBShowsTheSameOfACoreFile() throws {
    let core = NSTemporaryDirectory() + "blockruntime-\(getpid()).core"
    defer { try? FileManager.default.removeItem(atPath: core) }
    let live = try gdb(
      ["-ex", "run", "-ex", "generate-core-file \(core)", "--args", Self.probe, "stop"])
    try XCTSkipUnless(
      FileManager.default.fileExists(atPath: core), "gdb writes no core files here: \(live)")
    let output = try gdb(Self.gdbCommands + [Self.probe, core])
    try check(output, expectations(in: live))
  }

  func testLLDBShowsBlocksHooksAndInvocations() throws {
    let load = "command script import \(Self.tools)/blockruntime_lldb.py"
    // What follows a stop by a signal are commands for a crash.
    let output = try run(
      "lldb",
      ["--no-lldbinit", "-b", "-o", load, "-o", "run"]
        + Self.commands.flatMap { ["-k", "script print('\\n== \($0)')", "-k", $0] }
        + ["-k", "script print('\\n== end')", "-k", "quit", "--", Self.probe, "stop"])
    try XCTSkipUnless(output.contains("SIGTRAP"), "lldb may not run programs here: \(output)")
    try check(output, expectations(in: output))
  }

  // MARK: - Running

  private static let gdbCommands =
    commands.flatMap { ["-ex", "echo \\n== \($0)\\n", "-ex", $0] } + ["-ex", "echo \\n== end\\n"]

  private func gdb(_ arguments: [String]) throws -> String {
    try run(
      "gdb",
      ["-batch", "-nx", "-ex", "set debuginfod enabled off"]
        + ["-x", "\(Self.tools)/blockruntime_gdb.py"] + arguments)
  }

  /// What a debugger prints; the test is skipped where there is none, or none that starts.
  private func run(_ debugger: String, _ arguments: [String]) throws -> String {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let candidates = directories.map { "\($0)/\(debugger)" }
    guard let path = candidates.first(where: { Self.starts($0) }) else {
      throw XCTSkip("there is no \(debugger) that starts")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    // Swift would catch the signal first; the shared code of blocks belongs to the plans.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["BLOCKRUNTIME_ENGINE": "plans", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // lldb runs programs in a terminal, which ends lines its own way.
    return String(decoding: data, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
  }

  private static func starts(_ path: String) -> Bool {
    guard FileManager.default.isExecutableFile(atPath: path) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  // MARK: - Comparing

  private func expectations(in output: String) -> [Expectation] {
    output.split(separator: "\n").compactMap { Expectation($0) }
  }

  /// Compares what each command printed with what the program said.
  private func check(_ output: String, _ expectations: [Expectation]) throws {
    XCTAssertGreaterThan(expectations.count, 40, output)
    var printed: [String: String] = [:]
    for section in output.components(separatedBy: "\n== ").dropFirst() {
      let lines = section.split(separator: "\n", maxSplits: 1).map(String.init)
      printed[lines[0]] = lines.count > 1 ? lines[1] : ""
    }
    XCTAssertNotNil(printed["end"], "the commands did not end: \(output)")
    for expectation in expectations {
      let text = printed[expectation.command] ?? ""
      XCTAssertEqual(
        text.contains(expectation.text), !expectation.isRefusal,
        "\(expectation.command) printed \(text), not \(expectation.text)")
    }
    XCTAssertFalse(output.contains("Traceback"), output)
  }
}
