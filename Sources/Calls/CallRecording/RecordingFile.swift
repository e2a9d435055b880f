private import Glibc

/// The file of a recording.
enum RecordingFile {
  /// All bytes of a regular file.
  ///
  /// - Throws: `unreadableFile`.
  static func bytes(_ path: String) throws(RecordingError) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    // SAFETY: the path is a C string for the duration of the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw error(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    // SAFETY: the structure is written within its bounds.
    guard unsafe fstat(descriptor, &status) == 0 else { throw error(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw RecordingError(.unreadableFile, "\(path) is no regular file; give one")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(status.st_size))
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      // SAFETY: the system writes at most as many bytes as the buffer has.
      let count = unsafe block.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        bytes += block.prefix(count)
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw error(path, errno)
      }
    }
  }

  private static func error(_ path: String, _ number: Int32) -> RecordingError {
    let reason = SystemError.text(number)
    return RecordingError(
      .unreadableFile, "\(path) cannot be read: \(reason); give a file that may be")
  }
}
