import CommandConventions
import Glibc
import Invocations

/// The bytes of a program's file, of which every range is checked before it is read.
final class ProgramFile {
  /// The file's path.
  let path: String

  /// The file's size in bytes.
  let size: UInt64

  private let descriptor: Int32
  private let mode: mode_t

  /// The largest range that is read: no program's tables are as large, damaged ones may claim it.
  private static let rangeLimit: UInt64 = 256 << 20

  /// Opens a program.
  ///
  /// - Throws: `programUnreadable`.
  init(path: String) throws(Failure) {
    // SAFETY: the path is a C string, and the status a local variable, for the duration of the calls.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let reason = SystemError.text(errno)
      throw Failure(
        code: "programUnreadable",
        message:
          "\(path) cannot be read (\(reason)), so that nobody knows whether it can be traced; "
          + "make it readable")
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Failure(
        code: "programUnreadable", message: "\(path) is not a file; name the program's file")
    }
    self.path = path
    self.descriptor = descriptor
    size = UInt64(max(0, status.st_size))
    mode = status.st_mode
  }

  deinit { close(descriptor) }

  /// A range of the file.
  ///
  /// - Parameters:
  ///   - offset: The first byte, as the file itself gives it.
  ///   - count: How many bytes, as the file itself gives it.
  ///   - part: What lies there, for the error.
  /// - Returns: The bytes, all of them.
  /// - Throws: `programDamaged` if the range does not lie in the file.
  func bytes(at offset: UInt64, count: UInt64, of part: String) throws(Failure) -> [UInt8] {
    let (end, isTooLarge) = offset.addingReportingOverflow(count)
    guard !isTooLarge, end <= size else {
      throw damaged("\(part) should be at byte \(offset), of \(size) bytes")
    }
    guard count <= Self.rangeLimit else { throw damaged("\(part) takes \(count) bytes") }
    // SAFETY: the buffer is as long as `pread` is told, and as much of it is kept as was read.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
      while filled < buffer.count {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[filled...])
        let read = unsafe pread(descriptor, rest.baseAddress, rest.count, Int(offset) + filled)
        guard read > 0 else { return }
        filled += read
      }
    }
    guard bytes.count == Int(count) else { throw damaged("\(part) cannot be read") }
    return bytes
  }

  /// The first bytes, at most so many.
  ///
  /// - Throws: `programDamaged` if they cannot be read.
  func beginning(_ count: UInt64) throws(Failure) -> [UInt8] {
    try bytes(at: 0, count: min(count, size), of: "its beginning")
  }

  /// The failure that says in which way the file is not what it should be.
  func damaged(_ reason: String) -> Failure {
    Failure(
      code: "programDamaged",
      message: "\(path) is cut short or damaged: \(reason); build or copy it again")
  }

  /// What makes the dynamic loader ignore preloaded libraries, nil if nothing does.
  var privilege: String? {
    if mode & S_ISUID != 0 { return "the set-user-id bit" }
    if mode & S_ISGID != 0 { return "the set-group-id bit" }
    return hasCapabilities ? "file capabilities" : nil
  }

  /// Whether a program started from the file gains capabilities.
  private var hasCapabilities: Bool {
    // SAFETY: that is the function's signature; without a buffer it answers the attribute's size.
    let size: Int? = unsafe "security.capability".withCString { name in
      let buffer: UnsafeMutableRawPointer? = nil
      return unsafe try? CFunction(symbol: "fgetxattr", signature: "qi^v^vQ")(
        descriptor, UnsafeRawPointer(name), buffer, UInt(0))
    }
    return size ?? 0 > 0
  }
}
