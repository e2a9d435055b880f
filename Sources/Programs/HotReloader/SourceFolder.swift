#if Macros
import Foundation
import Glibc

/// What tells that a file was written again, without reading it.
struct FileStamp: Equatable {
  private let seconds, nanoseconds, size: Int
  private let file: UInt

  /// That of a file as it is; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    // SAFETY: the structure is written during the call.
    guard unsafe stat(path, &status) == 0 else { return nil }
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    (size, file) = (Int(status.st_size), UInt(status.st_ino))
  }
}

/// A folder of sources, which files may be added to.
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
