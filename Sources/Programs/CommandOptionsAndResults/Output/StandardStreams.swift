import Glibc

/// Standard output, for results.
package enum StandardOutput {
  /// Writes a text; exits the process if the text cannot be written.
  ///
  /// The exit status is 1. If the reader has closed the pipe, as in `hook-demo delay | head -1`, it
  /// is that of SIGPIPE, also on threads on which the signal is blocked.
  package static func write(_ text: String) {
    guard !FileDescriptor.write(Array(text.utf8), to: STDOUT_FILENO) else { return }
    let number = errno
    if number == EPIPE { exit(128 + SIGPIPE) }
    StandardError.write(
      "hook-demo: standard output cannot be written: \(SystemError.text(number))\n")
    exit(1)
  }
}

/// Standard error, for diagnostics.
package enum StandardError {
  /// Writes a text, as far as possible.
  package static func write(_ text: String) {
    _ = FileDescriptor.write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// Writes a line that begins with the command's name.
  package static func say(_ text: String) { write("hook-demo: \(TextStyle.visible(text))\n") }
}
