internal import TypeEncodings

/// A Swift pointer type, whose values are passed where a signature has a compatible pointer.
private protocol PointerConvertible: SlotConvertible {
  var mutableAddress: UnsafeMutableRawPointer { get }
  init(mutableAddress: UnsafeMutableRawPointer)
}

extension PointerConvertible {
  // SAFETY: the slot is valid during these functions, and its type is checked to be a compatible
  // pointer, which is copied and not followed.

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
    // Raw pointers are not type-checked: they are compatible with objects, blocks and selectors
    // too.
    let encoding = unsafe try slot.encoding(of: Self.self)
    let isRaw = encoding.type == .pointer(TypeEncoding(.primitive(.void)))
    guard unsafe isRaw || encoding.isCompatible(with: slot.encoding) else {
      throw unsafe slot.mismatch(Self.self)
    }
  }
}

// SAFETY: these conversions copy an address. For typed pointers, `requireCompatible` has compared
// the pointee types.

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
