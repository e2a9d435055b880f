import Foundation
import XCTest

/// The README's program is an example that is compiled, run and compared with the log it promises.
final class ReadmeTests: XCTestCase {
  private let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The texts of the README's fenced code, in order.
  private func fencedTexts() throws -> [String] {
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let parts = readme.components(separatedBy: "```")
    return stride(from: 1, to: parts.count, by: 2).map { index in
      parts[index].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        .joined(separator: "\n")
    }
  }

  func testTheProgramIsTheExampleAndPrintsTheLog() throws {
    let texts = try fencedTexts()
    let example = try String(
      contentsOf: root.appendingPathComponent("Examples/HookABlock/main.swift"), encoding: .utf8)
    XCTAssertEqual(texts.first, example)
    XCTAssertLessThanOrEqual(example.split(separator: "\n").count, 15)
    XCTAssertEqual(texts[1], try output(of: "HookABlock"))
  }

  func testTheReadmeIsShort() throws {
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    XCTAssertLessThan(readme.split(separator: "\n", omittingEmptySubsequences: false).count, 150)
  }

  /// What a program of this package prints.
  private func output(of program: String) throws -> String {
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
