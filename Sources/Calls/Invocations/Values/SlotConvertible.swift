internal import BlockABI
internal import TypeEncodings

/// A Swift type that converts to and from the C value in a slot, checked against the slot's
/// encoding.
protocol SlotConvertible {
  // SAFETY: the slot must be valid for its encoding during both functions; its creator vouched for
  // it.

  /// Reads the slot. Objects and blocks are retained, C strings copied.
  static func load(from slot: ValueSlot) throws(InvocationError) -> Self

  /// Writes to the slot, and adds to `kept` the objects that the slot then points to.
  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError)
}

extension ValueSlot {
  // SAFETY: a slot's address is valid for its layout, and its contents are of the encoded type; its
  // creator vouched for that.

  /// Reads the slot as a Swift type.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`, `unexpectedNull`.
  package func load<Value>(as type: Value.Type) throws(InvocationError) -> Value {
    if unsafe isVector(Value.self) { return unsafe copy() }
    if let swiftValue = unsafe swiftValue, let value = swiftValue.value as? Value { return value }
    if unsafe encoding.swiftValueTypeName != nil, unsafe pointer == nil,
      !(Value.self is any ExpressibleByNilLiteral.Type)
    {
      throw unsafe error(
        .unexpectedNull, "there is no \(Value.self), because none was set; ask for an Optional")
    }
    // An object that casts to a Swift type is passed as itself; Foundation's objects are read as
    // the values to which they bridge.
    if unsafe kind == .object, !SwiftType.isObject(Value.self), let object = unsafe object,
      let value = object as? Value
    {
      return value
    }
    if let type = Value.self as? any SlotConvertible.Type {
      if let value = unsafe try type.load(from: self) as? Value { return value }
    } else if SwiftType.isObject(Value.self) {
      guard unsafe kind == .object else { throw unsafe mismatch(Value.self) }
      guard let pointer = unsafe pointer else {
        throw unsafe error(.unexpectedNull, "the object is nil; ask for an Optional")
      }
      guard unsafe !BlockReference.isBlock(at: pointer) else {
        throw unsafe error(.typeMismatch, "the object is a block; ask for a Block")
      }
      // SAFETY: an encoded object that is not a block is a Swift object on Linux.
      let object = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
      if let value = object as? Value { return value }
      throw unsafe error(
        .typeMismatch, "the object is of class \(Swift.type(of: object)), not \(Value.self)")
    } else if Value.self == Any.self {
      if let value = unsafe try anyValue() as? Value { return value }
    } else {
      unsafe try requireSameMemory(Value.self)
      return unsafe copy()
    }
    throw unsafe mismatch(Value.self)
  }

  /// Whether a Swift type is the slot's vector, which is then copied without a look for anything
  /// else.
  private func isVector<Value>(_ type: Value.Type) -> Bool {
    guard case .vector = unsafe encoding.type, let own = try? SwiftType.encoding(of: type) else {
      return false
    }
    return unsafe own.type == encoding.type && MemoryLayout<Value>.size == layout.size
  }

  /// Reads the slot as a Swift type that has the encoded type's size and layout.
  private func copy<Value>() -> Value {
    // SAFETY: the caller has checked the type. The value is copied first, because a slot is aligned
    // to 8 bytes only.
    unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { copy in
      unsafe UnsafeMutableRawBufferPointer(copy).copyMemory(
        from: UnsafeRawBufferPointer(start: address, count: MemoryLayout<Value>.size))
      return unsafe copy[0]
    }
  }

  /// Writes a Swift value to the slot.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  package func store<Value>(
    _ value: Value, keeping kept: inout KeptValues
  ) throws(InvocationError) {
    if unsafe isVector(Value.self) {
      // SAFETY: the slot has room for the vector.
      unsafe Swift.withUnsafeBytes(of: value) { bytes in
        unsafe address.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
      }
    } else if let name = unsafe encoding.swiftValueTypeName {
      let object = unsafe try object(carrying: value, named: name)
      // SAFETY: the slot's type is an object, which `kept` retains.
      unsafe pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
      kept.keep(object)
    } else if let value = value as? any SlotConvertible {
      unsafe try value.store(to: self, keeping: &kept)
    } else if SwiftType.isObject(Value.self) {
      guard unsafe kind == .object else { throw unsafe mismatch(Value.self) }
      let object = value as AnyObject
      // SAFETY: as above.
      unsafe pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
      kept.keep(object)
    } else if unsafe kind == .class, let type = value as? AnyClass {
      // SAFETY: the slot has a class, which is never freed.
      unsafe pointer = unsafe unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    } else {
      try unsafe requirePointer(Value.self)
      unsafe try requireSameMemory(Value.self)
      unsafe Swift.withUnsafeBytes(of: value) { bytes in
        // SAFETY: the slot has room for the encoded type, and the Swift type is not larger.
        unsafe address.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
      }
      unsafe keepReferences(in: &kept)
    }
  }

  /// The object with the Swift value in the slot, if it has one.
  private var swiftValue: SwiftValue? { unsafe object as? SwiftValue }

  /// The object in the slot; nil for a block.
  package var object: AnyObject? {
    guard unsafe kind == .object, let pointer = unsafe pointer,
      unsafe !BlockReference.isBlock(at: pointer)
    else { return nil }
    // SAFETY: an encoded object that is not a block is a Swift object on Linux.
    return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// The slot's address, for a Swift type that has the encoded type's memory layout.
  ///
  /// - Throws: `typeMismatch`.
  func address<Value: BitwiseCopyable>(
    of type: Value.Type
  ) throws(InvocationError) -> UnsafeMutableRawPointer {
    let kind = ScalarKind.of(Value.self)
    if unsafe kind == .none || kind != ScalarKind(encoding) {
      try SwiftType.refuseFunctions(Value.self)
      unsafe try requireSameMemory(Value.self)
      // A value that is written through the address is widened only if its type is a number.
      if case .argument = unsafe place, unsafe [.int8, .int16].contains(self.kind) {
        throw unsafe mismatch(Value.self)
      }
    }
    return unsafe address
  }

  /// Refuses an array in place of a pointer: `&array` in a call that takes any number of values is
  /// the array.
  ///
  /// - Throws: `typeMismatch`.
  private func requirePointer(_ type: Any.Type) throws(InvocationError) {
    guard unsafe isPointer, type is any ElementBuffer.Type else { return }
    throw unsafe error(
      .typeMismatch,
      "\(type) is no pointer, and the signature says \(encoding) (\(kind.rawValue)): call in the "
        + "array's withUnsafeMutableBufferPointer, and pass the baseAddress")
  }

  /// The encoding of a Swift type.
  ///
  /// - Throws: `typeMismatch` if it has none.
  func encoding(of type: Any.Type) throws(InvocationError) -> TypeEncoding {
    do throws(InvocationError) { return try SwiftType.encoding(of: type) } catch {
      throw unsafe self.error(error.code, error.message, underlying: error.underlyingError)
    }
  }

  /// Checks that a Swift structure, tuple or enumeration has the encoded type's memory layout.
  private func requireSameMemory<Value>(_ type: Value.Type) throws(InvocationError) {
    let encoding = unsafe try encoding(of: type)
    guard unsafe encoding.isCompatible(with: self.encoding) || encoding.isPair(of: self.encoding)
    else { throw unsafe mismatch(type) }
    // The size is compared too, because a type's own `TypeEncodable` may return any encoding.
    let size = MemoryLayout<Value>.size
    guard unsafe size <= layout.size,
      unsafe max(MemoryLayout<Value>.stride, size) == max(layout.size, 1)
    else {
      throw unsafe error(
        .typeMismatch, "\(type) has \(size.of("byte")) in Swift, \(encoding) has \(layout.size)")
    }
  }
}

extension TypeEncoding {
  /// Whether the type is a tuple of the two parts of a complex number.
  fileprivate func isPair(of complex: TypeEncoding) -> Bool {
    guard case .complex(let part) = complex.type, case .structure(let record) = type else {
      return false
    }
    return record.name == nil
      && record.fields?.map(\.encoding.type) == [.primitive(part), .primitive(part)]
  }
}

/// A Swift collection whose elements lie one after the other in memory that belongs to it.
private protocol ElementBuffer {}

extension Array: ElementBuffer {}
extension ArraySlice: ElementBuffer {}
extension ContiguousArray: ElementBuffer {}
