import Foundation
import XCTest

/// The built programs of `Examples`, which lie beside the test bundle.
enum Example {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Whether the tests run under a sanitizer, as `Scripts/test --sanitize=NAME` announces.
  static var isSanitized: Bool {
    let environment = ProcessInfo.processInfo.environment
    return environment["ASAN_OPTIONS"] != nil || environment["TSAN_OPTIONS"] != nil
  }

  /// Runs a program of this package, and returns the text that it prints.
  static func output(of program: String) throws -> String {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = own.deletingLastPathComponent().appendingPathComponent(program)
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
    return String(decoding: data, as: UTF8.self)
  }
}
