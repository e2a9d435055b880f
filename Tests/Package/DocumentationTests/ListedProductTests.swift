import Foundation
import XCTest

/// The lists of products are those of the manifest.
final class ListedProductTests: XCTestCase {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Sources.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The libraries that the manifest offers to others.
  private func libraries() throws -> Set<String> {
    let names = Set(
      try text("Package.swift").matches(of: /\n +product (\w+)/)
        .map { String($0.1) })
    XCTAssertGreaterThan(names.count, 20)
    return names
  }

  /// The modules that the module `BlockRuntime` exports.
  private func exportedModules() throws -> Set<String> {
    Set(
      try Sources.files(in: "Sources/BlockRuntime", ending: ".swift").flatMap { path in
        try text(path).matches(of: /@_exported (?:public )?import (\w+)/).map { String($0.1) }
      })
  }

  func testThePageOfTheLibrarySaysWhichModulesAreProductsAndWhichItImports() throws {
    let libraries = try libraries().subtracting(["BlockRuntime"])
    let exported = try exportedModules()
    var listed: Set<String> = []
    try Sources.forEachLine(of: Sources.page(of: "BlockRuntime")) { line, _ in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3,
        let name = cells[0].firstMatch(of: #/^(?:``/(\w+)``|\[(\w+)\].*|`(\w+)`)$/#)
      else { return }
      let module = String(name.1 ?? name.2 ?? name.3 ?? "")
      listed.insert(module)
      let products =
        (exported.contains(module) ? ["`BlockRuntime`"] : [])
        + (libraries.contains(module) ? ["its own"] : [])
      XCTAssertEqual(cells[1], products.joined(separator: ", "), module)
    }
    XCTAssertEqual(listed.symmetricDifference(libraries.union(exported)), [])
  }

  func testTheReadmeListsEveryProduct() throws {
    let readme = try text("README.md")
    let modules = readme[(try XCTUnwrap(readme.firstRange(of: "| product |"))).upperBound...]
    for library in try libraries() {
      XCTAssertTrue(modules.contains("`\(library)`"), "README.md does not list \(library)")
    }
  }
}
