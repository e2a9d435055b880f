import Foundation
import TestSupport
import XCTest

/// The manifest, as SwiftPM reads it.
final class ManifestTests: XCTestCase {
  private struct Manifest: Decodable {
    struct Product: Decodable {
      let name: String
      let targets: [String]
      let type: [String: [String]?]

      /// The two products that nobody links: the program, and what it loads into others.
      var isOwn: Bool { type["executable"] != nil || type["library"] == ["dynamic"] }
    }

    struct Target: Decodable {
      struct Setting: Decodable { let kind: [String: Ignored] }

      /// A target of the package by its name; a product of another package.
      struct Dependency: Decodable {
        let byName: [Name?]?
        let target: [Name?]?
      }

      /// A name, or the condition behind it.
      struct Name: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
          text = try? decoder.singleValueContainer().decode(String.self)
        }
      }

      struct Ignored: Decodable {}

      let name: String
      let dependencies: [Dependency]
      let settings: [Setting]

      var modules: [String] { dependencies.compactMap { ($0.byName ?? $0.target)?.first??.text } }
      var hasUnsafeFlags: Bool { settings.contains { $0.kind["unsafeFlags"] != nil } }
    }

    let products: [Product]
    let targets: [Target]
  }

  /// SwiftPM refuses such a target in a dependency, but only once a client uses a product of it.
  func testNoProductForOthersReachesATargetWithUnsafeFlags() throws {
    try XCTSkipIf(isEmulated, "the manifest is the same there")
    let files = try CompiledFiles(self)
    let outcome = try CommandLineTool.run(
      [
        "package", "--package-path", PackageFiles.root.path, "--scratch-path", files.directory,
        "dump-package",
      ], environment: ["BLOCKRUNTIME_TEST_TARGETS": ""],
      executable: URL(fileURLWithPath: try Compiler("swift").path))
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(outcome.output.utf8))
    let targets = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0) })
    XCTAssertGreaterThan(manifest.targets.filter(\.hasUnsafeFlags).count, 2)
    let products = manifest.products.filter { !$0.isOwn }
    XCTAssertEqual(products.count, manifest.products.count - 4)
    for product in products {
      var (reached, waiting) = (Set<String>(), product.targets)
      while let name = waiting.popLast() {
        if reached.insert(name).inserted { waiting += targets[name]?.modules ?? [] }
      }
      let flagged = reached.filter { targets[$0]?.hasUnsafeFlags == true }
      XCTAssertEqual(flagged, [], product.name)
    }
  }
}
