#if Everything
import Foundation
import TestSupport
import XCTest

/// `Scripts/release`, in a repository whose checks succeed or fail at once.
final class ReleaseScriptTests: XCTestCase {
  private static let checks = [".ci/run", "Scripts/nightly"]

  /// A repository with what the script reads, all of it committed.
  private struct Repository {
    let path: String

    init(_ test: XCTestCase, version: String = "1.2.3", failing: String? = nil) throws {
      path = try CompiledFiles(test).directory
      try write(
        "Scripts/release", try PackageFiles.text("Scripts/release"))
      for check in ReleaseScriptTests.checks {
        try write(check, "#!/bin/sh\nexit \(check == failing ? 1 : 0)\n")
      }
      try write("CHANGELOG.md", "# Changelog\n\n## 1.2.3 (2026-01-31)\n")
      try write(
        "Sources/Programs/HookDemo/HookDemo.swift", "  static let version = \"\(version)\"\n")
      try write(".gitignore", ".build\n")
      try git(["init", "--quiet"])
      try git(["add", "."])
      try git(["commit", "--quiet", "-m", "All"])
    }

    func write(_ name: String, _ text: String) throws {
      let file = URL(fileURLWithPath: "\(path)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    @discardableResult
    func git(_ arguments: [String]) throws -> String {
      let outcome = try run(["git", "-C", path] + arguments)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      return outcome.output
    }

    func release(_ version: String = "1.2.3") throws -> CommandLineTool.Outcome {
      try run(["\(path)/Scripts/release", version])
    }

    /// The tags, each with the kind of its object and the commit.
    var tags: String {
      get throws { try git(["tag", "--format", "%(refname:short) %(objecttype) %(*objectname)"]) }
    }

    private func run(_ words: [String]) throws -> CommandLineTool.Outcome {
      let person = ["name": "A", "email": "a@localhost.invalid"].flatMap { key, value in
        ["GIT_AUTHOR", "GIT_COMMITTER"].map { ("\($0)_\(key.uppercased())", value) }
      }
      return try CommandLineTool.run(
        words, environment: Dictionary(uniqueKeysWithValues: person),
        executable: URL(fileURLWithPath: "/usr/bin/env"))
    }
  }

  func testTheCommitThatPassesGetsAnAnnotatedTag() throws {
    let repository = try Repository(self)
    let outcome = try repository.release()
    XCTAssertEqual(outcome.status, 0, outcome.output + outcome.errors)
    let head = try repository.git(["rev-parse", "HEAD"])
    XCTAssertEqual(try repository.tags, "1.2.3 tag \(head)")
    XCTAssertFalse(outcome.output.contains("✗"), outcome.output)
    let again = try repository.release()
    XCTAssertEqual(again.status, 1)
    XCTAssertTrue(again.output.contains("✗ There is no tag 1.2.3 yet."), again.output)
  }

  func testACheckThatFailsMakesNoTag() throws {
    for check in Self.checks {
      let repository = try Repository(self, failing: check)
      let outcome = try repository.release()
      XCTAssertEqual(outcome.status, 1, check)
      XCTAssertTrue(
        outcome.output.contains { $0 == "✗" } && outcome.output.contains(check), outcome.output)
      XCTAssertEqual(try repository.tags, "", check)
    }
  }

  func testAVersionThatIsNotTheSourcesMakesNoTag() throws {
    for (inSource, asked) in [("1.2.3-dev", "1.2.3"), ("1.2.4", "1.2.3"), ("1.2.3", "1.2.4")] {
      let repository = try Repository(self, version: inSource)
      let outcome = try repository.release(asked)
      XCTAssertEqual(outcome.status, 1, outcome.output)
      XCTAssertEqual(try repository.tags, "", inSource)
    }
    let repository = try Repository(self)
    XCTAssertEqual(try repository.release("1.2").status, 64)
  }

  func testWhatIsChangedMeanwhileMakesNoTag() throws {
    let repository = try Repository(self)
    try repository.write("Scripts/nightly", "#!/bin/sh\necho >>CHANGELOG.md\n")
    try repository.git(["commit", "--quiet", "-a", "-m", "A check that changes a file"])
    let outcome = try repository.release()
    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(outcome.output.contains("✗ Meanwhile nothing was changed."), outcome.output)
    XCTAssertEqual(try repository.tags, "")
  }
}
#endif
