#if Everything
import Foundation
import TestSupport
import XCTest

/// `Scripts/demo`, with a `swift` that notes what it is asked for and builds nothing.
final class DemoScriptTests: XCTestCase {
  private static let script = PackageFiles.root.appendingPathComponent("Scripts/demo")

  /// Runs the script, and returns what it printed beside the calls of `swift`, a line each.
  private func demo(
    _ arguments: [String], failing: Bool = false
  ) throws -> (outcome: CommandLineTool.Outcome, calls: [String]) {
    let files = try CompiledFiles(self)
    let swift = """
      #!/bin/sh
      echo "$*" >>'\(files.directory)/calls'
      case "$*" in
        *--show-bin-path*) echo '\(files.directory)' ;;
        *) echo 'the log of the build'; exit \(failing ? 1 : 0) ;;
      esac
      """
    _ = try files.write("swift", Array(swift.utf8))
    _ = try files.write("hook-demo", Array("#!/bin/sh\necho \"ran $*\"\n".utf8))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let outcome = try CommandLineTool.run(
      arguments, environment: ["PATH": "\(files.directory):\(path)"], executable: Self.script)
    let calls = (try? String(contentsOfFile: "\(files.directory)/calls", encoding: .utf8)) ?? ""
    return (outcome, calls.split(separator: "\n").map(String.init))
  }

  func testWhatTracesIsOptimisedAndTheRestIsNot() throws {
    for (arguments, configuration, products) in [
      ([], "debug", ["hook-demo"]), (["delay"], "debug", ["hook-demo"]),
      (["trace", "--", "ls"], "release", ["hook-demo", "BlockTracer"]),
      (["interpose", "-", "a b", "v", "--", "ls"], "release", ["hook-demo", "BlockTracer"]),
    ] {
      let (outcome, calls) = try demo(arguments)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      XCTAssertEqual(outcome.output, "ran \(arguments.joined(separator: " "))\n")
      for call in calls { XCTAssertTrue(call.contains(" -c \(configuration) "), call) }
      let built = calls.compactMap { $0.components(separatedBy: "--product ").dropFirst().first }
      XCTAssertEqual(built.map { $0.split(separator: " ").first.map(String.init) }, products)
    }
  }

  func testTheHelpIsPrintedWithoutABuild() throws {
    for option in ["--help", "-h"] {
      let (outcome, calls) = try demo([option])
      XCTAssertEqual([outcome.errors, "\(outcome.status)", "\(calls)"], ["", "0", "[]"])
      XCTAssertEqual(outcome.output, try CommandLineTool.run([option]).output)
    }
  }

  func testOnlyATerminalIsToldOfABuildThatSucceeds() throws {
    let (outcome, _) = try demo(["tour"])
    XCTAssertEqual(outcome.errors, "")
  }

  func testABuildThatFailsSaysWhyAndRunsNothing() throws {
    let (outcome, _) = try demo(["tour"], failing: true)
    XCTAssertNotEqual(outcome.status, 0)
    XCTAssertEqual(outcome.output, "")
    XCTAssertTrue(outcome.errors.contains("the log of the build"), outcome.errors)
  }
}
#endif
