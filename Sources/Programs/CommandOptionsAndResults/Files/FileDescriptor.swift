import Glibc

/// Reading and writing without a buffer, begun again where a signal interrupts it.
package enum FileDescriptor {
  /// Reads what there is.
  ///
  /// - Returns: At most `limit` bytes, none at the end of the file; nil if nothing can be read, or
  ///   not yet: `errno` says why.
  package static func read(_ descriptor: Int32, upTo limit: Int = 1 << 16) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    while true {
      // SAFETY: the pointer and the count are those of the array, which lives for the call.
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count >= 0 { return Array(bytes[..<count]) }
      guard errno == EINTR else { return nil }
    }
  }

  /// Writes all bytes.
  ///
  /// - Returns: False if they cannot be written; `errno` says why.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // SAFETY: the pointer and the count are those of one buffer, which lives for the call.
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0 {
        guard errno == EINTR else { return false }
        continue
      }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The path to which a symbolic link leads; nil if there is none.
  package static func target(ofLink path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: `readlink` gets the buffer with its length, and returns how much it wrote.
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
