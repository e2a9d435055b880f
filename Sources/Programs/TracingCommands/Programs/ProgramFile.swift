import CommandOptionsAndResults
import Glibc
import Invocations

/// A program's file; every range is checked against the file's size before it is read.
final class ProgramFile {
  /// The file's path.
  let path: String

  /// The file's size in bytes.
  let size: UInt64

  private let descriptor: Int32
  private let mode: mode_t

  /// The largest range that is read: real tables are smaller, but damaged files may claim more.
  private static let rangeLimit: UInt64 = 256 << 20

  /// Opens a program.
  ///
  /// - Throws: `programUnreadable`.
  init(path: String) throws(Failure) {
    // SAFETY: the path is a C string, and the status a local variable, for the duration of the
    // calls.
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
  ///   - count: The number of bytes, as the file itself gives it.
  ///   - part: The name of this part, for the error.
  /// - Returns: All bytes of the range.
  /// - Throws: `programDamaged` if the range is not in the file.
  func bytes(at offset: UInt64, count: UInt64, of part: String) throws(Failure) -> [UInt8] {
    let (end, isTooLarge) = offset.addingReportingOverflow(count)
    guard !isTooLarge, end <= size else {
      throw damaged("\(part) should be at byte \(offset), of \(size.of("byte"))")
    }
    guard count <= Self.rangeLimit else { throw damaged("\(part) takes \(count.of("byte"))") }
    // SAFETY: `pread` gets the rest of the buffer with its length; `filled` counts the bytes read.
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

  /// The C structures in a range of the file; a part of one at its end is left out.
  ///
  /// - Throws: `programDamaged` if the range is not in the file.
  func values<Value: BitwiseCopyable>(
    at offset: UInt64, size: UInt64, of part: String
  ) throws(Failure) -> [Value] {
    let (bytes, stride) = (try bytes(at: offset, count: size, of: part), MemoryLayout<Value>.size)
    // SAFETY: every bit pattern is a value, and each is inside of the bytes.
    return unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / stride).map {
        unsafe bytes.loadUnaligned(fromByteOffset: $0 * stride, as: Value.self)
      }
    }
  }

  /// The C structure at a place of the file.
  ///
  /// - Throws: `programDamaged` if it is not in the file.
  func value<Value: BitwiseCopyable>(at offset: UInt64, of part: String) throws(Failure) -> Value {
    try values(at: offset, size: UInt64(MemoryLayout<Value>.size), of: part)[0]
  }

  /// The first bytes of the file, at most `count`.
  ///
  /// - Throws: `programDamaged` if they cannot be read.
  func beginning(_ count: UInt64) throws(Failure) -> [UInt8] {
    try bytes(at: 0, count: min(count, size), of: "its beginning")
  }

  /// The failure for a damaged file, with the reason.
  func damaged(_ reason: String) -> Failure {
    Failure(
      code: "programDamaged",
      message: "\(path) is cut short or damaged: \(reason); build or copy it again")
  }

  /// The privilege that makes the dynamic loader ignore preloaded libraries, nil if there is none.
  var privilege: String? {
    if mode & S_ISUID != 0 { return "the set-user-id bit" }
    if mode & S_ISGID != 0 { return "the set-group-id bit" }
    return hasCapabilities ? "file capabilities" : nil
  }

  /// Whether a program started from the file gains capabilities.
  private var hasCapabilities: Bool {
    // SAFETY: this is the signature of fgetxattr; without a buffer it returns the attribute's size.
    let size: Int? = unsafe "security.capability".withCString { name in
      let buffer: UnsafeMutableRawPointer? = nil
      return unsafe try? CFunction(symbol: "fgetxattr", signature: "qi^v^vQ")(
        descriptor, UnsafeRawPointer(name), buffer, UInt(0))
    }
    return size ?? 0 > 0
  }
}
