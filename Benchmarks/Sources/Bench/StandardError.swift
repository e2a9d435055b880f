import Glibc

/// What people should see beside the results.
enum StandardError {
  private static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Shows what is being done, on a terminal only, in place of what was shown before.
  static func progress(_ text: String) {
    if isTerminal { write("\r\u{1B}[K\(text)") }
  }

  /// Prints a line.
  static func print(_ text: String) { write("\(isTerminal ? "\r\u{1B}[K" : "")\(text)\n") }

  private static func write(_ text: String) {
    var bytes = Array(text.utf8)
    while !bytes.isEmpty {
      // SAFETY: the buffer is a local array, not longer than its count.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
      }
      guard count > 0 else { return }
      bytes.removeFirst(count)
    }
  }
}

/// Ends the program: a handler must not fail, and its caller cannot be told.
func handlerFailed(_ error: any Error) {
  StandardError.print("A handler failed: \(error)")
  exit(EXIT_FAILURE)
}
