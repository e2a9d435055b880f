import Foundation
import TestSupport

/// What clang's syntax tree says of the functions that a source declares.
struct SyntaxTree {
  /// One function.
  struct Function {
    /// The types of the parameters, as clang writes them.
    let parameters: [String]
    let isVariadic: Bool
  }

  private(set) var functions: [String: Function] = [:]

  /// Reads the tree of a source in Objective-C.
  ///
  /// - Throws: `CompilerError`.
  init(of source: String, compiler: Compiler) throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("tree-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let (input, output) = (directory.path + "/tree.m", directory.path + "/tree.json")
    try Data(source.utf8).write(to: URL(fileURLWithPath: input))
    try compiler.run(
      [
        "-x", "objective-c", "-fobjc-runtime=gcc", "-fblocks", "-std=gnu2x", "-w", "-fsyntax-only",
        "-Xclang", "-ast-dump=json",
        input,
      ], output: output)
    let tree = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: output)))
    for node in Self.children(tree, "FunctionDecl") {
      guard let name = node["name"] as? String else { continue }
      functions[name] = Function(
        parameters: Self.children(node, "ParmVarDecl").map {
          ($0["type"] as? [String: Any])?["qualType"] as? String ?? "?"
        }, isVariadic: node["variadic"] as? Bool ?? false)
    }
  }

  private static func children(_ node: Any, _ kind: String) -> [[String: Any]] {
    let inner = (node as? [String: Any])?["inner"] as? [[String: Any]] ?? []
    return inner.filter { $0["kind"] as? String == kind }
  }
}
