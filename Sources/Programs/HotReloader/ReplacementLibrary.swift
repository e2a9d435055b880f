#if Macros
import Foundation
import SwiftParser

/// A library that replaces functions of a module.
struct ReplacementLibrary {
  /// A source file that has changed: its path, its imports, and the change.
  typealias Source = (file: String, imports: [String], change: FileChange)

  /// The line behind the compiler's words.
  static let remedy = "reload: nothing is replaced until this compiles\n"

  let path: String

  /// Writes and compiles a library.
  ///
  /// - Parameters:
  ///   - number: The library's number, which is part of its names.
  ///   - module: The module whose functions are replaced.
  ///   - sources: The module's files that have changed.
  ///   - members: The members of the module's types.
  ///   - folder: Where the library is written.
  /// - Throws: `ReloadFailure` with the compiler's words.
  init(
    number: Int, of module: ReloadedPackage.Module,
    _ sources: [Source], _ members: TypeMembers, in folder: URL
  ) throws {
    let name = "Reload\(number)_\(module.name)"
    let directory = folder.appendingPathComponent(name)
    var files: [String] = []
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      for (index, source) in sources.enumerated() {
        let generated = directory.appendingPathComponent("\(index).swift")
        try Self.code(number, module.name, source, members)
          .write(to: generated, atomically: false, encoding: .utf8)
        files.append(generated.path)
      }
    } catch {
      throw ReloadFailure(
        message: "reload: \(directory.path) cannot be written: \(error.localizedDescription)")
    }
    path = directory.appendingPathComponent("lib\(name).so").path
    let compilation = try Command(
      module.compiler,
      module.arguments + [
        "-module-name", name, "-parse-as-library", "-suppress-warnings", "-emit-library",
        "-o", path, "-I", module.importPath,
      ] + files)
    guard compilation.status == 0 else {
      throw ReloadFailure(message: compilation.output + Self.remedy)
    }
  }

  /// The code of the replacements of one source file.
  private static func code(
    _ number: Int, _ module: String, _ source: Source, _ members: TypeMembers
  ) -> String {
    let name = URL(fileURLWithPath: source.file).lastPathComponent
    let change = source.change
    let parts = (change.replaced.map { ($0, true) } + change.added.map { ($0, false) })
      .compactMap { declaration, isReplaced -> String? in
        guard let patch = declaration.patch,
          let code = isReplaced ? patch.replacement(number) : patch.addition
        else { return nil }
        let member = patch.header.isEmpty ? code : "\(patch.header) { \(code)\n}"
        return patch.directive + members.qualified(member, in: patch.type, patch.enclosing)
          + "\n#sourceLocation()\n"
      }
    return "@_private(sourceFile: \(quoted(name))) import \(identifier(module))\n"
      + (source.imports + parts).joined(separator: "\n")
  }

  /// A module's name as an import has it: in accents, if it is a word of the language.
  private static func identifier(_ name: String) -> String {
    name.isValidSwiftIdentifier(for: .variableName) ? name : "`\(name)`"
  }

  /// A text as a string literal.
  static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
#endif
