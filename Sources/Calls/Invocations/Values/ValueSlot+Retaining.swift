internal import BlockABI
internal import TypeEncodings

/// Retains the objects and blocks that a value refers to, members of records included.
private struct ReferenceKeeper: ValueVisitor {
  /// Whether C strings are copied too.
  let copiesStrings: Bool
  var kept: KeptValues

  mutating func visit(leaf slot: ValueSlot) {
    if copiesStrings, unsafe slot.kind == .cString, let pointer = unsafe slot.pointer {
      // SAFETY: the signature says that this is a C string.
      let copy = unsafe CStringCopy(copying: pointer.assumingMemoryBound(to: CChar.self))
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(copy.address)
      kept.keep(copy)
    } else {
      unsafe slot.keepReference(in: &kept)
    }
  }

  func visit(bits: BitFieldSlot) {}

  func visit(structure slot: ValueSlot, _ members: [Void]) {}

  func visit(array slot: ValueSlot, _ elements: [Void], count: Int) {}

  func visit(unknown slot: ValueSlot, _ error: InvocationError) {}
}

extension ValueSlot {
  /// Keeps what the slot's pointers point to, where their types tell how.
  ///
  /// C strings and stack blocks are replaced by copies, blocks and objects are retained. Members of
  /// records are included, those of unions are not: which of them is meant is not known.
  package func retain(keeping kept: inout KeptValues) {
    unsafe keep(in: &kept, copyingStrings: true)
  }

  /// Retains the objects and blocks that the slot refers to, members of records included.
  func keepReferences(in kept: inout KeptValues) {
    unsafe keep(in: &kept, copyingStrings: false)
  }

  private func keep(in kept: inout KeptValues, copyingStrings: Bool) {
    var keeper = ReferenceKeeper(copiesStrings: copyingStrings, kept: kept)
    kept = KeptValues()
    unsafe try? accept(&keeper)
    kept = keeper.kept
  }

  fileprivate func keepReference(in kept: inout KeptValues) {
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
