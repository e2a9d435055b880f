private import CLoadedImages.ReadableMemory
internal import TypeEncodings

extension ValueSlot {
  /// The bytes of the C string that the slot's pointer points to, without the zero that ends it.
  ///
  /// - Returns: Nil where the pointer is null, or where memory ends before the string does.
  package func cStringBytes() -> [UInt8]? {
    guard unsafe kind == .cString, let pointer = unsafe pointer else { return nil }
    var isTerminated = false
    // SAFETY: the function reads no byte that the kernel says cannot be read.
    let length = unsafe cbr_readable_string_length(pointer, Int.max, &isTerminated)
    guard isTerminated else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: pointer, count: length))
  }
}
