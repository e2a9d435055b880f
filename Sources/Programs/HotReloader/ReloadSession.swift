#if Macros
import Foundation

/// Watches the sources of a package, and replaces in the running program what has changed.
struct ReloadSession {
  /// A source file, as the program was built of it and as it is.
  private struct File {
    let module: Int
    let path: String
    let built: [Declaration]
    var text: String

    /// The text that was read last, which is acted upon when it is read twice.
    var seen: String

    /// What libraries have replaced.
    var loaded: Set<String> = []
  }

  private let package: ReloadedPackage
  private let program: ReloadedProgram
  private var files: [File]
  private var number = 0

  init(_ package: ReloadedPackage, _ program: ReloadedProgram) {
    self.package = package
    self.program = program
    files = package.modules.enumerated().flatMap { index, module in
      module.sources.map { path in
        let text = Self.text(path) ?? ""
        return File(
          module: index, path: path, built: SourceReader(text, file: path).declarations,
          text: text, seen: text)
      }
    }
  }

  private static func text(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  /// Looks at the files, and replaces what has changed.
  mutating func look() {
    var changed: Set<Int> = []
    for index in files.indices {
      guard let text = Self.text(files[index].path) else { continue }
      if text != files[index].text, text == files[index].seen {
        files[index].text = text
        changed.insert(files[index].module)
      }
      files[index].seen = text
    }
    for module in changed.sorted() { reload(module) }
  }

  private mutating func reload(_ index: Int) {
    let clock = ContinuousClock()
    let start = clock.now
    let module = package.modules[index]
    var changes: [(file: String, imports: [String], change: FileChange)] = []
    for file in files where file.module == index {
      let reader = SourceReader(file.text, file: file.path)
      let change = FileChange(from: file.built, to: reader.declarations, loaded: file.loaded)
      if reader.hasErrors { return report(Self.words(module.compiler, file.path)) }
      if !change.isEmpty { changes.append((file.path, reader.imports, change)) }
    }
    let names = changes.map { URL(fileURLWithPath: $0.file).lastPathComponent }
    let refusals = changes.flatMap(\.change.refusals)
    guard refusals.isEmpty else {
      let list = refusals.map { "\n  \($0)" }.joined()
      return report(
        "\(names.joined(separator: ", ")): not replaced; start the program again for:\(list)\n")
    }
    guard !changes.isEmpty else { return report("no code has changed\n") }
    number += 1
    do {
      let library = try ReplacementLibrary(
        number: number, of: module, changes, in: package.libraries)
      try program.open(library.path)
    } catch {
      return report((error as? ReloadFailure)?.message ?? "\(error)")
    }
    for file in files.indices where files[file].module == index {
      guard let change = changes.first(where: { $0.file == files[file].path })?.change else {
        continue
      }
      files[file].loaded.formUnion(change.replaced.map(\.key))
    }
    let replaced = changes.flatMap(\.change.replaced).map(\.name)
    let added = changes.flatMap(\.change.added).map { "\($0.name) (new)" }
    let seconds = (clock.now - start).formatted(
      .units(allowed: [.seconds], fractionalPart: .show(length: 2)))
    report("replaced in \(seconds): \((replaced + added).joined(separator: ", "))\n")
  }

  /// What the compiler says of a file that it cannot parse.
  private static func words(_ compiler: String, _ file: String) -> String {
    let words = (try? Command(compiler, ["-frontend", "-parse", file]))?.output
    return words ?? "\(file) cannot be parsed\n"
  }

  private func report(_ text: String) {
    let text = text.hasPrefix("reload: ") ? text : "reload: \(text)"
    FileHandle.standardError.write(Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
  }
}
#endif
