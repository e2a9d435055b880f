#if Macros
import Foundation

/// A folder of sources, to which files may be added.
struct SourceFolder {
  private let path: String
  private var stamp: FileStamp?
  private var known: Set<String>

  init(_ path: String) {
    self.path = path
    stamp = FileStamp(path)
    known = Self.sources(path)
  }

  private static func sources(_ path: String) -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return Set(names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") })
  }

  /// The names of the source files that were not there at the last look.
  mutating func newFiles() -> [String] {
    let now = FileStamp(path)
    guard now != stamp else { return [] }
    stamp = now
    let sources = Self.sources(path)
    defer { known.formUnion(sources) }
    return sources.subtracting(known).sorted()
  }
}
#endif
