import Glibc

/// The lines of a file, or of standard input, as they arrive.
package struct LineReader: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var searched = 0
  private var isAtEnd = false

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: `unreadableFile`.
  package init(path: String) throws(Failure) {
    self.path = path
    // SAFETY: the path is a C string for the duration of the call.
    descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.refusal(path) }
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// The next line, without its line break; nil after the last one.
  ///
  /// - Throws: `unreadableFile`.
  package mutating func next() throws(Failure) -> [UInt8]? {
    while true {
      if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(pending[..<end])
        pending.removeSubrange(...end)
        searched = 0
        return line
      }
      searched = pending.count
      if isAtEnd {
        guard !pending.isEmpty else { return nil }
        defer { (pending, searched) = ([], 0) }
        return pending
      }
      try readMore()
    }
  }

  private mutating func readMore() throws(Failure) {
    guard let chunk = FileDescriptor.read(descriptor) else { throw Self.refusal(path) }
    isAtEnd = chunk.isEmpty
    pending += chunk
  }

  private static func refusal(_ path: String) -> Failure {
    let reason = SystemError.text(errno)
    return Failure(code: "unreadableFile", message: "\(path) cannot be read: \(reason)")
  }
}
