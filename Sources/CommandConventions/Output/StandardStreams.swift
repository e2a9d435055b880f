import Glibc

/// Where results go.
package enum StandardOutput {
  /// Writes a text; the process exits where it cannot be written.
  ///
  /// The status is 1; where nobody reads any more, as in `hook-demo delay | head -1`, it is the one of
  /// the signal that says so, on threads that do not get it too.
  package static func write(_ text: String) {
    guard !FileDescriptor.write(text, to: STDOUT_FILENO) else { return }
    let number = errno
    if number == EPIPE { exit(128 + SIGPIPE) }
    StandardError.write(
      "hook-demo: standard output cannot be written: \(SystemError.text(number))\n")
    exit(1)
  }
}

/// Where diagnostics go.
package enum StandardError {
  /// Writes a text, as far as possible.
  package static func write(_ text: String) { _ = FileDescriptor.write(text, to: STDERR_FILENO) }

  /// Writes a line of this command's own.
  package static func say(_ text: String) { write("hook-demo: \(TextStyle.visible(text))\n") }
}

/// Unbuffered output.
private enum FileDescriptor {
  /// Writes a whole text.
  ///
  /// - Returns: False if it cannot be written; `errno` says why.
  static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      // SAFETY: the buffer is as long as the kernel is told.
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count < 0 {
        guard errno == EINTR else { return false }
        continue
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
