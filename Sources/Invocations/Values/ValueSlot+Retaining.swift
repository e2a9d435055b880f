internal import BlockABI
internal import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

extension ValueSlot {
  /// Keeps what the slot's pointers point to, where their types tell how.
  ///
  /// C strings and stack blocks are replaced by copies, blocks and objects are retained. Members of
  /// records are included, those of unions are not: which of them is meant is not known.
  package func retain(keeping kept: inout KeptValues) {
    unsafe forEachPart { part in
      if unsafe part.kind == .cString, let pointer = unsafe part.pointer {
        // SAFETY: the signature says that this is a C string.
        let copy = unsafe CStringCopy(copying: pointer.assumingMemoryBound(to: CChar.self))
        unsafe part.pointer = unsafe UnsafeMutableRawPointer(copy.address)
        kept.keep(copy)
      } else {
        unsafe part.keepReference(in: &kept)
      }
    }
  }

  /// Keeps the objects and blocks that the slot refers to, members of records included.
  func keepReferences(in kept: inout KeptValues) {
    unsafe forEachPart { part in unsafe part.keepReference(in: &kept) }
  }

  /// Runs `body` for the value, or for each part of a structure or array, however deep.
  private func forEachPart(_ body: (ValueSlot) -> Void) {
    switch unsafe kind {
    case .struct:
      let members = unsafe (try? members()) ?? []
      for index in unsafe members.indices {
        if case .slot(let slot) = unsafe members[index] { unsafe slot.forEachPart(body) }
      }
    case .array where unsafe !isDecayedArray:
      let elements = unsafe (try? elements()) ?? []
      for index in unsafe elements.indices { unsafe elements[index].forEachPart(body) }
    default: unsafe body(self)
    }
  }

  private func keepReference(in kept: inout KeptValues) {
    guard let reference = unsafe retainedReference() else { return }
    if let block = reference as? BlockReference {
      unsafe pointer = unsafe UnsafeMutableRawPointer(mutating: block.pointer)
    }
    kept.keep(reference)
  }

  /// The object in the slot, or a reference to the block in it (copied from the stack if it lies
  /// there); nil for all other types and for null.
  func retainedReference() -> AnyObject? {
    guard unsafe kind == .object || kind == .block, let pointer = unsafe pointer else { return nil }
    // SAFETY: the encoding says what the pointer is; an encoded object is a block or a Swift object
    // on Linux.
    if unsafe kind == .block || BlockReference.isBlock(at: pointer) {
      return unsafe Block(unsafePointer: pointer).copied().reference
    }
    return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
  }
}
