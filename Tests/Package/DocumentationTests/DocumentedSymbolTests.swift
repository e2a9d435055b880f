#if Everything
import Foundation
import TestSupport
import XCTest

/// What is public is documented, and has its place on its module's page.
final class DocumentedSymbolTests: XCTestCase {
  func testEveryPublicSymbolHasACommentAndStandsOnItsModulesPage() throws {
    try XCTSkipIf(isSanitized, "the modules are no others under a sanitizer")
    let files = try CompiledFiles(self)
    let modules = BuiltModules()
    var count = 0
    // The umbrella declares nothing itself.
    for module in Sources.documentedModules where module != "BlockRuntime" {
      let (own, extensions) = try SymbolGraph.all(of: module, in: modules, files: files)
      for symbol in own.symbols + extensions.flatMap(\.symbols) {
        XCTAssertFalse(
          symbol.docComment?.lines.isEmpty ?? true, "no comment: \(symbol.description)")
        count += 1
      }
      let place = Sources.page(of: module)
      let page = try String(
        contentsOf: Sources.root.appendingPathComponent(place), encoding: .utf8)
      for symbol in own.symbols where symbol.pathComponents.count == 1 {
        XCTAssertTrue(
          page.contains("\n- ``\(symbol.pathComponents[0])``\n"),
          "not among the topics of \(module): \(symbol.description)")
      }
    }
    XCTAssertGreaterThan(count, 1_000)
  }
}
#endif
