import BlockABI
import Foundation
import SymbolInterposing
import TestSupport
import XCTest

/// The modules whose blocks are the library's own, compared with the manifest.
final class OwnModuleTests: XCTestCase {
  /// Modules of the command line and of the compiler's plug-in, which are in no traced program.
  private static let others: Set = [
    "HookDemo", "CallDocuments", "TracingCommands", "CommandOptionsAndResults",
    "MessageMacrosPlugin", "HotReloader",
  ]

  func testEveryModuleOfTheManifestIsOne() throws {
    let modules = PackageFiles.folders.filter { _, folder in
      let files = FileManager.default.enumerator(
        atPath: PackageFiles.root.appendingPathComponent(folder).path)
      return files?.contains { ($0 as? String)?.hasSuffix(".swift") == true } ?? false
    }
    XCTAssertGreaterThan(modules.count, 20)
    XCTAssertEqual(Set(modules.keys).subtracting(Self.others), Set(CodeSymbol.ownModules))
  }
}
