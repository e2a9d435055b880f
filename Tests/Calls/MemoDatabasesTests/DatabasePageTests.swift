#if Database
import Foundation
import TestSupport
import XCTest

/// The page of the module shows the example, and says what the module has.
final class DatabasePageTests: XCTestCase {
  private static let folder = PackageFiles.folder(of: "MemoDatabases")

  private func text(_ file: String) throws -> String { try PackageFiles.text(file) }

  private func page() throws -> String {
    try text("\(Self.folder)/MemoDatabases.docc/MemoDatabases.md")
  }

  /// Runs the example in a directory.
  private func run(in directory: String) throws -> String {
    let program = try CommandLineTool.url.deletingLastPathComponent()
      .appendingPathComponent("StoredSquares").path
    let outcome = try CommandLineTool.run(
      ["-c", "cd \"$0\" && exec \"$1\"", directory, program],
      executable: URL(fileURLWithPath: "/bin/sh"))
    XCTAssertEqual([outcome.errors, "\(outcome.status)"], ["", "0"])
    return outcome.output
  }

  func testTheProgramOfThePageIsTheExampleAndComputesOnce() throws {
    let source = try text("Examples/Database/StoredSquares/main.swift")
    XCTAssertTrue(try page().contains("```swift\n\(source.drop { $0 != "\n" }.dropFirst())```\n"))
    let directory = try DatabaseFiles(self).directory
    let first = try run(in: directory)
    XCTAssertTrue(try page().contains("\n```\n\(first)```\n"), first)
    XCTAssertEqual(try run(in: directory), first.replacing("computed\n", with: ""))
  }

  func testEveryPublicTypeStandsOnThePage() throws {
    let page = try page()
    let folder = PackageFiles.root.appendingPathComponent(Self.folder).path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let declaration = #/^public (?:final )?(?:class|struct|enum|protocol|typealias) (\w+)/#
      .anchorsMatchLineEndings()
    var names: Set<Substring> = []
    // What stands for the types without the trait is none of them.
    for file in files where file.hasSuffix(".swift") && file != "MissingTrait.swift" {
      names.formUnion(
        try text("\(Self.folder)/\(file)").matches(of: declaration).map(\.output.1))
    }
    XCTAssertGreaterThan(names.count, 2)
    for name in names.sorted() {
      XCTAssertTrue(page.contains("\n- ``\(name)``\n"), "not among the topics: \(name)")
    }
  }
}
#endif
