internal import BlockABI
private import CLoadedImages.ReadableMemory
internal import TypeEncodings

extension String: SlotConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> String {
    // SAFETY: the slot is valid during the call, and its encoding says that it has a C string.
    guard unsafe slot.kind == .cString else { throw unsafe slot.mismatch(String.self) }
    guard let pointer = unsafe slot.pointer else {
      throw unsafe slot.error(.unexpectedNull, "the C string is NULL; ask for a String?")
    }
    return unsafe String(cString: pointer.assumingMemoryBound(to: CChar.self))
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    // With Foundation `as AnyObject` makes an NSString, which is Hashable and what Swift's blocks
    // expect; without it, Swift's own box, which is not, and no object parameter takes that.
    // SAFETY: the slot is valid during the call; `kept` retains the object or the copy.
    if unsafe slot.kind == .object, case let object = self as AnyObject,
      type(of: object) is any Hashable.Type
    {
      unsafe slot.pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
      kept.keep(object)
      return
    }
    guard unsafe slot.kind == .cString else { throw unsafe slot.mismatch(String.self) }
    guard !utf8.contains(0) else {
      throw unsafe slot.error(
        .valueOutOfRange, "a C string ends at its first zero byte; the text has one inside")
    }
    let copy = CStringCopy(utf8)
    unsafe slot.pointer = unsafe UnsafeMutableRawPointer(copy.address)
    kept.keep(copy)
  }
}

extension Block: SlotConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> Block {
    // SAFETY: the slot is valid during the call, and its encoding says that it has a block or an
    // object, which is a block if `isBlock` says so.
    guard unsafe slot.kind == .block || slot.kind == .object else {
      throw unsafe slot.mismatch(Block.self)
    }
    guard let pointer = unsafe slot.pointer else {
      throw unsafe slot.error(.unexpectedNull, "the block is NULL; ask for a Block?")
    }
    guard unsafe slot.kind == .block || BlockReference.isBlock(at: pointer) else {
      throw unsafe slot.mismatch(Block.self)
    }
    // A block that is still on the stack is copied, because the result may outlive it.
    return unsafe Block(unsafePointer: pointer).copied()
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    // SAFETY: the slot is valid during the call; `kept` retains the block.
    guard unsafe slot.kind == .block || slot.kind == .object else {
      throw unsafe slot.mismatch(Block.self)
    }
    if case .block(let expected?) = unsafe slot.encoding.type {
      let own: MethodSignature?
      do { own = try signature } catch { throw InvocationError(passing: error) }
      let differences = own?.differences(from: expected, ours: "block", theirs: "parameter") ?? []
      guard differences.isEmpty else {
        let list = differences.map(\.description).joined(separator: "; ")
        throw unsafe slot.error(.typeMismatch, "the block's signature differs: \(list)")
      }
    }
    unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: reference.pointer)
    kept.keep(reference)
  }
}

extension FunctionPointer: SlotConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> Self {
    // SAFETY: the slot's memory is not accessed.
    throw unsafe slot.error(
      .typeMismatch, "the owner of a function pointer is unknown; ask for an UnsafeRawPointer")
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    // SAFETY: the slot is valid during the call; `kept` retains this object, which owns the code.
    guard unsafe slot.kind == .functionPointer || slot.kind == .pointer else {
      throw unsafe slot.mismatch(Self.self)
    }
    unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: unsafeAddress)
    kept.keep(self)
  }
}

extension CValue: SlotConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> CValue {
    // SAFETY: the slot is valid during the call.
    unsafe try slot.value()
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    // SAFETY: the slot is valid during the call.
    unsafe try slot.store(value: self, keeping: &kept)
  }
}

extension Optional: SlotConvertible {
  // SAFETY: the slot is valid during these functions, and holds a pointer where it is read as one.

  static func load(from slot: ValueSlot) throws(InvocationError) -> Wrapped? {
    if unsafe slot.isPointer, unsafe slot.pointer == nil { return nil }
    return unsafe try slot.load(as: Wrapped.self)
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    if let value = self {
      unsafe try slot.store(value, keeping: &kept)
    } else if unsafe slot.isPointer {
      unsafe slot.pointer = nil
    } else {
      throw unsafe slot.error(
        .typeMismatch, "nil does not fit \(slot.encoding) (\(slot.kind.rawValue))")
    }
  }
}
