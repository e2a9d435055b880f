internal import BlockABI
internal import TypeEncodings

extension ValueSlot {
  /// Keeps what the slot's pointers point to, where their types tell how.
  ///
  /// C strings and stack blocks are replaced by copies, blocks and objects are retained. Members of
  /// records are included.
  package func retain(keeping kept: inout KeptValues) {
    switch unsafe kind {
    case .cString:
      guard let pointer = unsafe pointer else { return }
      // SAFETY: the signature says that this is a C string.
      let copy = unsafe CStringCopy(copying: pointer.assumingMemoryBound(to: CChar.self))
      unsafe self.pointer = unsafe UnsafeMutableRawPointer(copy.address)
      kept.keep(copy)
    case .object, .block:
      guard let reference = unsafe retainedReference() else { return }
      if let block = reference as? BlockReference {
        unsafe pointer = unsafe UnsafeMutableRawPointer(mutating: block.pointer)
      }
      kept.keep(reference)
    case .struct:
      let members = unsafe (try? members()) ?? []
      for index in unsafe members.indices {
        if case .slot(let slot) = unsafe members[index] { unsafe slot.retain(keeping: &kept) }
      }
    case .array where unsafe !isDecayedArray:
      let elements = unsafe (try? elements()) ?? []
      for index in unsafe elements.indices { unsafe elements[index].retain(keeping: &kept) }
    default: break
    }
  }

  /// The object in the slot, or a reference to the block in it (copied from the stack if it lies
  /// there); nil for all other types and for null.
  func retainedReference() -> AnyObject? {
    guard unsafe kind == .object || kind == .block, let pointer = unsafe pointer else { return nil }
    // SAFETY: the encoding says what the pointer is; an encoded object is a Swift object on Linux.
    if unsafe kind == .block { return unsafe Block(unsafePointer: pointer).copied().reference }
    return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
  }
}
