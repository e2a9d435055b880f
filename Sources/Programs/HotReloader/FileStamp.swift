#if Macros
import Glibc

/// The time, the size and the number of a file, by which a later version is told without being
/// read.
struct FileStamp: Equatable {
  private let seconds, nanoseconds, size: Int
  private let file: UInt

  /// The present stamp of a file or a folder; nil if there is none at the path.
  init?(_ path: String) {
    var status = stat()
    // SAFETY: the structure is written during the call.
    guard unsafe stat(path, &status) == 0 else { return nil }
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    (size, file) = (Int(status.st_size), UInt(status.st_ino))
  }
}
#endif
