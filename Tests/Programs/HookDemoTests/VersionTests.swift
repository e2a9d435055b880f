import Foundation
import TestSupport
import XCTest

final class VersionTests: XCTestCase {
  /// The headings of the change log, newest first, without their dates.
  private func headings() throws -> [String] {
    try PackageFiles.text("CHANGELOG.md").split(separator: "\n")
      .filter { $0.hasPrefix("## ") }
      .compactMap { $0.dropFirst(3).split(separator: " ").first.map(String.init) }
  }

  private func numbers(_ version: some StringProtocol) -> [Int] {
    version.split(separator: ".").compactMap { Int($0) }
  }

  func testTheVersionIsThatOfTheChangeLog() throws {
    let outcome = try CommandLineTool.run(["--version"])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    XCTAssertEqual(outcome.errors, "")
    let version = try XCTUnwrap(outcome.output.split(separator: "\n").first)
    XCTAssertEqual(outcome.output, version + "\n")
    let headings = try headings()
    let isReleased = headings.first != "Unreleased"
    let newest = try XCTUnwrap(isReleased ? headings.first : headings.dropFirst().first)
    XCTAssertEqual(numbers(newest).count, 3, newest)
    guard !isReleased else { return XCTAssertEqual(String(version), newest) }
    XCTAssertTrue(version.hasSuffix("-dev"), "\(version)")
    XCTAssertTrue(
      numbers(newest).lexicographicallyPrecedes(numbers(version.dropLast("-dev".count))),
      "\(version) follows \(newest)")
  }

  func testEverySubcommandTellsTheVersion() throws {
    let version = try CommandLineTool.run(["--version"]).output
    for command in ["tour", "trace", "interpose", "call"] {
      XCTAssertEqual(try CommandLineTool.run([command, "--version"]).output, version, command)
    }
  }
}
