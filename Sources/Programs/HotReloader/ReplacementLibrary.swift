#if Macros
import Foundation

/// A library that replaces functions of a module.
struct ReplacementLibrary {
  let path: String

  /// Writes and compiles a library.
  ///
  /// - Parameters:
  ///   - number: Its number, which is part of its names.
  ///   - module: The module whose functions are replaced.
  ///   - changes: What has changed in its files, with the imports of each.
  ///   - folder: Where the library is written.
  /// - Throws: `ReloadFailure` with the compiler's words.
  init(
    number: Int, of module: ReloadedPackage.Module,
    _ changes: [(file: String, imports: [String], change: FileChange)], in folder: URL
  ) throws {
    let name = "Reload\(number)_\(module.name)"
    let directory = folder.appendingPathComponent(name)
    var files: [String] = []
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      for (index, (file, imports, change)) in changes.enumerated() {
        let generated = directory.appendingPathComponent("\(index).swift")
        try Self.code(number, module.name, file, imports, change)
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
    guard compilation.status == 0 else { throw ReloadFailure(message: compilation.output) }
  }

  private static func code(
    _ number: Int, _ module: String, _ file: String, _ imports: [String], _ change: FileChange
  ) -> String {
    let name = URL(fileURLWithPath: file).lastPathComponent
    let parts = (change.replaced.map { ($0, true) } + change.added.map { ($0, false) })
      .compactMap { declaration, isReplaced -> String? in
        guard let patch = declaration.patch,
          let code = isReplaced ? patch.replacement(number) : patch.addition
        else { return nil }
        // The compiler's words, and debuggers, name the lines of the file itself.
        let place = "#sourceLocation(file: \(quoted(file)), line: \(patch.line))\n"
        let member = patch.context.isEmpty ? code : "\(patch.context) { \(code)\n}"
        return place + member + "\n#sourceLocation()\n"
      }
    return "@_private(sourceFile: \(quoted(name))) import \(module)\n"
      + (imports + parts).joined(separator: "\n")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
#endif
