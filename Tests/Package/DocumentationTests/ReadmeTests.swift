import Foundation
import TestSupport
import XCTest

/// What the README is, beside what `DocumentTests` asks of every document.
final class ReadmeTests: XCTestCase {
  func testTheFirstProgramIsTheFirstExample() throws {
    let program = try XCTUnwrap(DocumentedProgram.all(in: "README.md").first)
    let example = try String(
      contentsOf: Sources.root.appendingPathComponent("Examples/HookABlock/main.swift"),
      encoding: .utf8)
    XCTAssertEqual(program.text, example)
    XCTAssertLessThanOrEqual(example.split(separator: "\n").count, 15)
    XCTAssertNotNil(program.output)
  }

  func testTheReadmeIsShort() throws {
    let lines = try PackageFiles.text("README.md")
      .split(separator: "\n", omittingEmptySubsequences: false)
    let outsideOfTables = lines.filter { !$0.hasPrefix("|") }
    XCTAssertLessThanOrEqual(outsideOfTables.count, 111)  // the last is empty
    let wide = outsideOfTables.filter { $0.count > 100 && !$0.hasPrefix("![") }
    XCTAssertEqual(wide, [])
  }
}
