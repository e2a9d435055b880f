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
    XCTAssertEqual(texts[1], try Example.output(of: "HookABlock"))
  }

  func testTheReadmeIsShort() throws {
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    XCTAssertLessThan(readme.split(separator: "\n", omittingEmptySubsequences: false).count, 150)
  }
}
