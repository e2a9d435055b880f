internal import BlockABI
private import CLoadedImages.ReadableMemory
internal import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

extension String: SlotConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> String {
    guard unsafe slot.kind == .cString else { throw unsafe slot.mismatch(String.self) }
    guard let pointer = unsafe slot.pointer else {
      throw unsafe slot.error(.unexpectedNull, "the C string is NULL; ask for a String?")
    }
    // SAFETY: the signature says that this is a C string.
    return unsafe String(cString: pointer.assumingMemoryBound(to: CChar.self))
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    // Text is an object where Foundation makes one of it, as it does for Swift's blocks.
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
    guard unsafe slot.kind == .block || slot.kind == .object else {
      throw unsafe slot.mismatch(Block.self)
    }
    guard let pointer = unsafe slot.pointer else {
      throw unsafe slot.error(.unexpectedNull, "the block is NULL; ask for a Block?")
    }
    guard unsafe slot.kind == .block || BlockReference.isBlock(at: pointer) else {
      throw unsafe slot.mismatch(Block.self)
    }
    // SAFETY: the signature says that this is a block. A block still on the stack is copied, since
    // the result may outlive it.
    return unsafe Block(unsafePointer: pointer).copied()
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
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
    throw unsafe slot.error(
      .typeMismatch, "who made a function pointer is not known; ask for an UnsafeRawPointer")
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    guard unsafe slot.kind == .functionPointer || slot.kind == .pointer else {
      throw unsafe slot.mismatch(Self.self)
    }
    // SAFETY: the object owns the code, and is kept for as long as the slot.
    unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: unsafeAddress)
    kept.keep(self)
  }
}

extension CValue: SlotConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> CValue {
    unsafe try slot.value()
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    unsafe try slot.store(value: self, keeping: &kept)
  }
}

/// A Swift pointer type, which goes wherever the signature has a compatible pointer.
private protocol PointerConvertible: SlotConvertible {
  var mutableAddress: UnsafeMutableRawPointer { get }
  init(mutableAddress: UnsafeMutableRawPointer)
}

extension PointerConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> Self {
    unsafe try requireCompatible(slot)
    guard let pointer = unsafe slot.pointer else {
      throw unsafe slot.error(.unexpectedNull, "the pointer is NULL; ask for an Optional")
    }
    return unsafe Self(mutableAddress: pointer)
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    unsafe try Self.requireCompatible(slot)
    unsafe slot.pointer = unsafe mutableAddress
  }

  private static func requireCompatible(_ slot: ValueSlot) throws(InvocationError) {
    guard unsafe slot.isPointer else { throw unsafe slot.mismatch(Self.self) }
    // A raw pointer is the way around the types: it fits objects, blocks and selectors too.
    let encoding = try SwiftType.encoding(of: Self.self)
    let isRaw = encoding.type == .pointer(TypeEncoding(.primitive(.void)))
    guard unsafe isRaw || encoding.isCompatible(with: slot.encoding) else {
      throw unsafe slot.mismatch(Self.self)
    }
  }
}

extension UnsafeRawPointer: PointerConvertible {
  fileprivate var mutableAddress: UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(mutating: self)
  }
  fileprivate init(mutableAddress: UnsafeMutableRawPointer) {
    self.init(mutableAddress)
  }
}

extension UnsafeMutableRawPointer: PointerConvertible {
  fileprivate var mutableAddress: UnsafeMutableRawPointer { unsafe self }
  fileprivate init(mutableAddress: UnsafeMutableRawPointer) { unsafe self = unsafe mutableAddress }
}

extension UnsafePointer: PointerConvertible {
  fileprivate var mutableAddress: UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(mutating: self)
  }
  fileprivate init(mutableAddress: UnsafeMutableRawPointer) {
    unsafe self.init(mutableAddress.assumingMemoryBound(to: Pointee.self))
  }
}

extension UnsafeMutablePointer: PointerConvertible {
  fileprivate var mutableAddress: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
  fileprivate init(mutableAddress: UnsafeMutableRawPointer) {
    unsafe self = unsafe mutableAddress.assumingMemoryBound(to: Pointee.self)
  }
}

extension OpaquePointer: PointerConvertible {
  fileprivate var mutableAddress: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(self) }
  fileprivate init(mutableAddress: UnsafeMutableRawPointer) {
    self.init(mutableAddress)
  }
}

extension Optional: SlotConvertible {
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
      throw unsafe slot.error(.typeMismatch, "nil is no \(slot.encoding) (\(slot.kind.rawValue))")
    }
  }
}
