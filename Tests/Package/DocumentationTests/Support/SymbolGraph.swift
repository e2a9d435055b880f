#if Everything
import Foundation
import TestSupport

/// The public symbols of a module, as the compiler lists them.
struct SymbolGraph: Decodable {
  /// One symbol.
  struct Symbol: Decodable {
    struct Kind: Decodable {
      let identifier: String
    }

    struct Comment: Decodable {
      struct Line: Decodable {
        let text: String
      }

      let lines: [Line]
    }

    struct Location: Decodable {
      struct Position: Decodable {
        let line: Int
      }

      let uri: String
      let position: Position
    }

    let kind: Kind

    /// The names from the outermost type on.
    let pathComponents: [String]

    /// Its own comment, or that of the requirement that it fulfils.
    let docComment: Comment?

    /// Where it is declared; nil for what the compiler made.
    let location: Location?

    /// Where it is declared, and its name.
    var description: String {
      let place = location.map { "\($0.uri):\($0.position.line + 1): " } ?? ""
      return place + pathComponents.joined(separator: ".")
    }
  }

  let symbols: [Symbol]

  /// The graphs of a module: its own, and those of its extensions of other modules' types.
  ///
  /// - Parameters:
  ///   - module: The module's name.
  ///   - modules: Where it is.
  ///   - files: Where the graphs are written to.
  /// - Returns: Its own, and the others.
  /// - Throws: `CompilerError`; what the file system does.
  static func all(
    of module: String, in modules: BuiltModules, files: CompiledFiles
  ) throws -> (own: SymbolGraph, extensions: [SymbolGraph]) {
    let directory = "\(files.directory)/\(module)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    try Compiler("swift-symbolgraph-extract").run(
      [
        "-module-name", module, "-output-dir", directory, "-skip-synthesized-members",
        "-minimum-access-level", "public", "-target", modules.target,
      ] + modules.searchOptions)
    func graph(_ name: String) throws -> SymbolGraph {
      try JSONDecoder().decode(
        SymbolGraph.self, from: Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)")))
    }
    let own = "\(module).symbols.json"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    return (
      try graph(own), try names.filter { $0.hasPrefix("\(module)@") }.sorted().map(graph)
    )
  }
}
#endif
