internal import BlockABI
private import CLoadedImages.ReadableMemory
internal import TypeEncodings

extension ValueSlot {
  /// The address in a slot that contains one pointer, nil for null.
  package var pointerValue: UnsafeRawPointer? { unsafe address.load(as: UnsafeRawPointer?.self) }

  /// Whether the kernel says that the memory behind the slot's pointer can be read.
  var isReadable: Bool { unsafe pointer.map { unsafe cbr_is_readable($0) } ?? false }

  /// Whether the slot refers to a block that is still on the stack.
  package var isStackBlock: Bool {
    // SAFETY: the encoding says that the pointer refers to an object or a block.
    guard unsafe kind == .object || kind == .block, let pointer = unsafe pointer,
      unsafe kind == .block || BlockReference.isBlock(at: pointer)
    else { return false }
    return unsafe Block(unsafePointer: pointer).kind == .stack
  }

  /// The bytes of the C string that the slot's pointer points to, without the zero that ends it.
  ///
  /// - Parameter limit: The most bytes that are read.
  /// - Returns: Nil where the pointer is null, where memory ends before the string does, and for a
  ///   longer string.
  package func cStringBytes(limit: Int = .max) -> [UInt8]? {
    guard unsafe kind == .cString, let pointer = unsafe pointer else { return nil }
    var isTerminated = false
    // SAFETY: the function reads no byte that the kernel says cannot be read.
    let length = unsafe cbr_readable_string_length(pointer, limit, &isTerminated)
    guard isTerminated else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: pointer, count: length))
  }
}
