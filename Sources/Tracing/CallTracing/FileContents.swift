private import Glibc

/// What files have that others write.
package enum FileContents {
  /// Reads a regular file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - limit: The most bytes that it may have.
  /// - Returns: The bytes; nil if it cannot be read, and `errno` says why if it cannot be opened.
  package static func read(_ path: String, limit: Int = .max) -> [UInt8]? {
    // SAFETY: the path is null-terminated for the duration of the call; the status is a variable.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (0...limit).contains(Int(status.st_size))
    else { return nil }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    // SAFETY: `read` gets the buffer with its length.
    while bytes.count < limit, case let count = unsafe Glibc.read(file, &part, part.count),
      count > 0
    {
      bytes += part.prefix(count)
    }
    return bytes
  }
}
