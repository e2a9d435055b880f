#if Macros
import Foundation

/// Replaces all functions of a package by themselves, to find those that the compiler refuses.
struct ReplacementCheck {
  private let package: ReloadedPackage

  init(_ package: ReloadedPackage) { self.package = package }

  /// Prints how many functions of each module can be replaced, after the compiler's words.
  ///
  /// - Throws: `ReloadFailure` if nothing can be written or compiled.
  func report() throws {
    for module in package.modules {
      var changes: [ReplacementLibrary.Source] = []
      var members = TypeMembers()
      for path in module.sources {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let reader = SourceReader(text, file: path)
        members.add(reader.members)
        let keys = reader.declarations.map { ($0.key, $0.text) }
        let change = FileChange(
          from: reader.declarations, to: reader.declarations,
          loaded: Dictionary(keys) { first, _ in first })
        if !change.isEmpty { changes.append((path, reader.imports, change)) }
      }
      let count = changes.map(\.change.replaced.count).reduce(0, +)
      guard count > 0 else { continue }
      var words = ""
      do {
        _ = try ReplacementLibrary(
          number: 0, of: module, changes, members, in: package.libraries)
      } catch let failure as ReloadFailure {
        words = failure.message.replacing(ReplacementLibrary.remedy, with: "")
      }
      // An error begins with its place, `/path/File.swift:3:14: error:`.
      let places = words.split(separator: "\n").filter {
        $0.hasPrefix("/") && $0.contains(": error:")
      }
      .compactMap { $0.components(separatedBy: ": error:").first }
      let refused = Set(places).count
      print("\(words)\(module.name): \(count - refused) of \(count) functions can be replaced")
    }
  }
}
#endif
