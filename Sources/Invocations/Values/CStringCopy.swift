private import Glibc

/// A C string in memory of its own.
@safe
final class CStringCopy {
  // SAFETY: the memory is initialised in `init`, and freed in `deinit`.
  let address: UnsafeMutablePointer<CChar>

  /// Copies bytes, which should hold no zero, and ends them with one.
  init(_ bytes: some Collection<UInt8>) {
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() {
      // SAFETY: the memory has room for every byte, and for the zero after them.
      unsafe (memory + index).initialize(to: CChar(bitPattern: byte))
    }
    unsafe (memory + bytes.count).initialize(to: 0)
    unsafe address = unsafe memory
  }

  /// Copies a C string.
  ///
  /// ## Safety
  /// There must be a C string at the address.
  @unsafe
  convenience init(copying string: UnsafePointer<CChar>) {
    // SAFETY: the caller vouches for the string.
    let bytes = unsafe UnsafeRawBufferPointer(start: string, count: strlen(string))
    unsafe self.init(bytes)
  }

  // SAFETY: users of the string retain this object.
  deinit { unsafe address.deallocate() }
}
