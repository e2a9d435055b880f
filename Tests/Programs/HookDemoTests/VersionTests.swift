#if Everything
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

  func testPagesNameNoVersionThatHasNoTag() throws {
    let git = URL(fileURLWithPath: "/usr/bin/env")
    let words = ["git", "-C", PackageFiles.root.path]
    let pages = try CommandLineTool.run(words + ["ls-files", "*.md"], executable: git)
    try XCTSkipIf(pages.status != 0, "needs the repository, for its tags: \(pages.errors)")
    let tags = try CommandLineTool.run(words + ["tag"], executable: git).output
    let names = pages.output.split(separator: "\n").map(String.init)
    XCTAssertTrue(names.contains("README.md"))
    for name in names {
      for version in try PackageFiles.text(name).matches(of: /from: "(\d+\.\d+\.\d+)"/) {
        XCTAssertTrue(
          tags.split(separator: "\n").contains(version.output.1),
          "\(name) names \(version.output.1), whose tag Scripts/release has not made")
      }
    }
  }

  func testEverySubcommandTellsTheVersion() throws {
    let version = try CommandLineTool.run(["--version"]).output
    for command in ["tour", "trace", "interpose", "call"] {
      XCTAssertEqual(try CommandLineTool.run([command, "--version"]).output, version, command)
    }
  }
}
#endif
