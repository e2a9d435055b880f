import Foundation
import TestSupport
import XCTest

/// A debugger sees through the code that is entered and called by assembly.
final class BacktraceTests: XCTestCase {
  func testACrashBehindAHookShowsEveryFrameDownToMain() throws {
    let frames = try backtrace("crash in a hook")
    try expect(frames, inOrder: ["abort", "cbr_enter_", "crashInHook", "main"])
  }

  func testACrashInACallbackShowsEveryFrameDownToMain() throws {
    let frames = try backtrace("crash in a callback")
    try expect(frames, inOrder: ["abort", "cbr_enter_", "crashInCallback", "main"])
  }

  /// The functions of the innermost to the outermost frame.
  private func backtrace(_ environment: String) throws -> [String] {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let probe = own.deletingLastPathComponent().appendingPathComponent("EnvironmentProbe")
    let output = try Debugger.gdb().run(
      ["-ex", "run", "-ex", "backtrace", "--args", probe.path, environment])
    let frames = output.split(separator: "\n").filter { $0.hasPrefix("#") }.map(String.init)
    XCTAssertFalse(frames.isEmpty, output)
    return frames
  }

  /// Checks that frames of these names follow each other, others between them, and none is unknown.
  private func expect(_ frames: [String], inOrder names: [String], line: UInt = #line) throws {
    var rest = frames[...]
    for name in names {
      guard let index = rest.firstIndex(where: { $0.contains(name) }) else {
        XCTFail("\(name) is missing in \(frames.joined(separator: "\n"))", line: line)
        return
      }
      rest = rest[(index + 1)...]
    }
    XCTAssertFalse(frames.contains { $0.contains(" ?? ") }, "\(frames)", line: line)
  }
}
