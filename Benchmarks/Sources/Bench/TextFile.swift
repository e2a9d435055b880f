import Glibc

/// Writes whole files.
enum TextFile {
  /// A file that cannot be written.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Writes a text in place of what a file holds.
  static func write(_ text: String, to path: String) throws {
    // SAFETY: the stream is this function's own, closed once.
    guard let file = unsafe fopen(path, "w") else {
      throw Failure(
        description: "\(path) cannot be written: \(unsafe String(cString: strerror(errno)))")
    }
    let isWritten = unsafe fputs(text, file) >= 0
    guard unsafe fclose(file) == 0, isWritten else {
      throw Failure(description: "\(path) could not be written completely")
    }
  }
}
