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
    "pblock 16", "pblock 1.5", "pblock box", "phooks box", "phooks main",
    "pblock nothing_of_this_name", "passociated page", "pobservers page", "pmethods page",
    "ptargets proxy", "pdelayed", "pmethods proxy", "ptargets page", "passociated 16",
    "pobservers proxy",
  ]

  private static let products =
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let probe = products.appendingPathComponent("EnvironmentProbe").path
  private static let tools = PackageFiles.root.appendingPathComponent("Tools").path

  func testGDBShowsBlocksHooksAndInvocations() throws {
    let output = try Debugger.gdb().run(
      Self.load + ["-ex", "run"] + Self.gdbCommands + ["--args", Self.probe, "stop"])
    try check(output, expectations(in: output))
    XCTAssertTrue(output.contains("pblock: 1.5 has no address"), output)
    XCTAssertTrue(output.contains("phooks: there is no block at"), output)
  }

  /// Nothing is called in the program: a core file does as well.
  func testGDBShowsTheSameOfACoreFile() throws {
    let gdb = try Debugger.gdb()
    let core = NSTemporaryDirectory() + "blockruntime-\(getpid()).core"
    defer { try? FileManager.default.removeItem(atPath: core) }
    let live = try gdb.run(
      ["-ex", "run", "-ex", "generate-core-file \(core)", "--args", Self.probe, "stop"])
    let output = try gdb.run(Self.load + Self.gdbCommands + [Self.probe, core])
    try check(output, expectations(in: live))
  }

  func testLLDBShowsBlocksHooksAndInvocations() throws {
    let load = "command script import \(Self.tools)/blockruntime_lldb.py"
    // What follows a stop by a signal are commands for a crash.
    let output = try Debugger.lldb().run(
      ["-o", load, "-o", "run"]
        + Self.commands.flatMap { ["-k", "script print('\\n== \($0)')", "-k", $0] }
        + ["-k", "script print('\\n== end')", "-k", "quit", "--", Self.probe, "stop"])
    try check(output, expectations(in: output))
  }

  private static let load = ["-x", "\(tools)/blockruntime_gdb.py"]

  private static let gdbCommands =
    commands.flatMap { ["-ex", "echo \\n== \($0)\\n", "-ex", $0] } + ["-ex", "echo \\n== end\\n"]

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
