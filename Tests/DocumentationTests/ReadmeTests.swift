import Foundation
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
    let readme = try String(
      contentsOf: Sources.root.appendingPathComponent("README.md"), encoding: .utf8)
    XCTAssertLessThan(readme.split(separator: "\n", omittingEmptySubsequences: false).count, 150)
  }
}
