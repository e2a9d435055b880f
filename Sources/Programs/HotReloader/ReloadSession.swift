#if Macros
import Foundation

/// Watches the sources of a package, and replaces in the running program what has changed.
struct ReloadSession {
  /// A source file, as it was when the program was built and as it is.
  private struct File {
    let module: Int
    let path: String
    let built: [Declaration]
    var text: String

    /// The file's stamp when it was read, and at the last look: it is read when two looks agree.
    var stamp, seen: FileStamp?

    /// The texts of the declarations that libraries have replaced, by their keys.
    var loaded: [String: String] = [:]
  }

  private let package: ReloadedPackage
  private let program: ReloadedProgram
  private var files: [File]
  private var folders: [SourceFolder]
  private var number = 0

  init(_ package: ReloadedPackage, _ program: ReloadedProgram) {
    self.package = package
    self.program = program
    files = package.modules.enumerated().flatMap { index, module in
      module.sources.map { path in
        let stamp = FileStamp(path)
        let text = Self.text(path) ?? ""
        return File(
          module: index, path: path, built: SourceReader(text, file: path).declarations,
          text: text, stamp: stamp, seen: stamp)
      }
    }
    folders = Set(files.map { ($0.path as NSString).deletingLastPathComponent }).sorted()
      .map(SourceFolder.init)
  }

  private static func text(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  /// Looks at the files, and replaces what has changed.
  mutating func look() {
    var changed: Set<Int> = []
    for index in files.indices {
      let stamp = FileStamp(files[index].path)
      defer { files[index].seen = stamp }
      guard stamp != files[index].stamp, stamp == files[index].seen else { continue }
      files[index].stamp = stamp
      guard let text = Self.text(files[index].path) else {
        HotReloader.report(
          "\(files[index].path) is gone; its code runs until the program is started again\n")
        continue
      }
      guard text != files[index].text else { continue }
      files[index].text = text
      changed.insert(files[index].module)
    }
    for index in folders.indices {
      for name in folders[index].newFiles() {
        HotReloader.report(
          "\(name) is new: what is in it is built when the program is started again\n")
      }
    }
    for module in changed.sorted() { reload(module) }
  }

  private mutating func reload(_ index: Int) {
    let clock = ContinuousClock()
    let start = clock.now
    let module = package.modules[index]
    var changes: [ReplacementLibrary.Source] = []
    var names: [String] = []
    var members = TypeMembers()
    for file in files where file.module == index {
      let reader = SourceReader(file.text, file: file.path)
      members.add(reader.members)
      let change = FileChange(from: file.built, to: reader.declarations, loaded: file.loaded)
      if reader.hasErrors {
        return HotReloader.report(
          Self.words(module.compiler, file.path) + ReplacementLibrary.remedy)
      }
      if !change.isEmpty { changes.append((file.path, reader.imports, change)) }
      names += change.names(since: file.loaded, file.built)
    }
    let refusals = changes.flatMap(\.change.refusals)
    guard refusals.isEmpty else {
      let files = changes.map { URL(fileURLWithPath: $0.file).lastPathComponent }
      let list = refusals.map { "\n  \($0)" }.joined()
      return HotReloader.report(
        "\(files.joined(separator: ", ")): not replaced; start the program again for:\(list)\n")
    }
    guard !changes.isEmpty else { return HotReloader.report("no code has changed\n") }
    number += 1
    do {
      let library = try ReplacementLibrary(
        number: number, of: module, changes, members, in: package.libraries)
      try program.open(library.path)
    } catch {
      return HotReloader.report((error as? ReloadFailure)?.message ?? "\(error)")
    }
    for file in files.indices where files[file].module == index {
      guard let change = changes.first(where: { $0.file == files[file].path })?.change else {
        continue
      }
      for declaration in change.replaced + change.added {
        files[file].loaded[declaration.key] = declaration.text
      }
    }
    let seconds = (clock.now - start).formatted(
      .units(allowed: [.seconds], fractionalPart: .show(length: 2)))
    HotReloader.report("replaced in \(seconds): \(names.joined(separator: ", "))\n")
  }

  /// What the compiler says of a file that it cannot parse.
  private static func words(_ compiler: String, _ file: String) -> String {
    let words = (try? Command(compiler, ["-frontend", "-parse", file]))?.output
    return words ?? "\(file) cannot be parsed\n"
  }
}
#endif
