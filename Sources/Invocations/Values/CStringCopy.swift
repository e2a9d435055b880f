private import Glibc

/// A C string in memory of its own.
@safe
final class CStringCopy {
  let address: UnsafeMutablePointer<CChar>

  /// Copies bytes, which should hold no zero, and ends them with one.
  init(_ bytes: some Collection<UInt8>) {
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() {
      // SAFETY: the memory has a place for every byte, and for the zero behind them.
      unsafe (memory + index).initialize(to: CChar(bitPattern: byte))
    }
    unsafe (memory + bytes.count).initialize(to: 0)
    unsafe address = unsafe memory
  }

  /// Copies a C string.
  @unsafe
  convenience init(copying string: UnsafePointer<CChar>) {
    let bytes = unsafe UnsafeRawBufferPointer(start: string, count: strlen(string))
    unsafe self.init(bytes)
  }

  deinit { unsafe address.deallocate() }
}
