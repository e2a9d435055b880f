#if Macros && DEBUG
import Foundation
import TestSupport
import XCTest

/// A debugger stops at the lines of functions whose calls run hooks, and not in what macros write.
final class DebuggedCallTests: XCTestCase {
  func testADebuggerShowsTheLinesOfTheSource() throws {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    for (example, line) in [("HookableFunctions", 4), ("HookedCalls", 6)] {
      let source = try PackageFiles.text("Examples/Macros/\(example)/main.swift")
      let text = source.split(separator: "\n", omittingEmptySubsequences: false)[line - 1]
      let output = try Debugger.gdb().run([
        "-ex", "break main.swift:\(line)", "-ex", "run", "-ex", "continue",
        program.appendingPathComponent(example).path,
      ])
      // Of a call with a hook, the function and its body.
      let stops = output.split(separator: "\nBreakpoint 1").dropFirst().prefix(3).dropFirst()
      XCTAssertEqual(stops.count, 2, output)
      for stop in stops {
        let lines = stop.split(separator: "\n")
        XCTAssertTrue(lines[0].hasSuffix("\(example)/main.swift:\(line)"), output)
        XCTAssertTrue(lines.contains("\(line)\t\(text)"), output)
      }
    }
  }
}
#endif
