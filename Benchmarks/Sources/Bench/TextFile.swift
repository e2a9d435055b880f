import Glibc

/// Reads and writes whole files.
enum TextFile {
  /// A file that cannot be written.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The text of a file; nil if it cannot be read.
  static func read(_ path: String) -> String? {
    // SAFETY: the stream is this function's own, closed once; what is read fits the buffer.
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
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
