import Foundation
import XCTest

/// What readers look for stands where they look.
final class ArticleTests: XCTestCase {
  private func text(of file: String) throws -> String {
    try String(contentsOf: Sources.root.appendingPathComponent(file), encoding: .utf8)
  }

  func testTheUmbrellasPageLinksEveryModule() throws {
    let page = try text(of: Sources.page(of: "BlockRuntime"))
    for module in Sources.documentedModules where module != "BlockRuntime" {
      XCTAssertTrue(
        page.contains("| ``/\(module)`` |")
          || page.contains("| [\(module)](/documentation/\(module.lowercased())) |"), module)
    }
  }

  func testTheUmbrellasPageNamesEveryProductOfALibrary() throws {
    let page = try text(of: Sources.page(of: "BlockRuntime"))
    let products = try text(of: "Package.swift").matches(of: /\n +product (\w+)/)
      .map { String($0.output.1) }
    XCTAssertGreaterThan(products.count, 5)
    for product in products where product != "BlockRuntime" {
      XCTAssertTrue(page.contains(product), product)
    }
  }

  /// The documentation compiler resolves the symbols of an article's own module only.
  func testTheUmbrellasArticlesLinkNoSymbolOfAModule() throws {
    let umbrella = "Sources/BlockRuntime/BlockRuntime.docc"
    let articles = try FileManager.default.contentsOfDirectory(
      atPath: Sources.root.appendingPathComponent(umbrella).path
    ).filter { $0.hasSuffix(".md") }
    XCTAssertGreaterThan(articles.count, 5)
    for article in articles {
      for link in try text(of: "\(umbrella)/\(article)").matches(of: #/``\w[\w/]*``/#) {
        XCTAssertFalse(
          link.output.contains("/"),
          "\(article): \(link.output) needs to be a name in single backticks"
        )
      }
    }
  }

  func testArticlesNameWhatIsReady() throws {
    let umbrella = "Sources/BlockRuntime/BlockRuntime.docc"
    let rows = [
      ("HooksAndTheirOrder", "print(\"Hello world\")"), ("HooksAndTheirOrder", ".printing()"),
      ("PortingFromApple", ".printing()"),
      ("Debugging", "ImportedFunction.followLoadedObjects()"),
    ]
    for (article, name) in rows {
      XCTAssertTrue(try text(of: "\(umbrella)/\(article).md").contains(name), "\(article): \(name)")
    }
    let interposing = try text(
      of: "Sources/Tracing/SymbolInterposing/SymbolInterposing.docc/Interposing.md")
    XCTAssertTrue(
      interposing.contains("| sanitizers | ") && interposing.contains("followLoadedObjects()"))
  }

  func testProseIsAtMostAHundredColumnsWide() throws {
    for document in Sources.allDocuments {
      var isInFence = false
      try Sources.forEachLine(of: document) { line, number in
        if line.drop(while: { $0 == " " }).hasPrefix("```") { isInFence.toggle() }
        // Tables, headings, images and links have no line breaks, nor have spans of code.
        guard !isInFence, !["|", "#", "![", "[", "@"].contains(where: line.hasPrefix) else {
          return
        }
        let prose = line.replacing(/`[^`]*`/, with: "")
        XCTAssertLessThanOrEqual(prose.count, 100, "\(document):\(number)")
      }
    }
  }
}
