internal import CBlockRuntimeFFI
internal import TypeEncodings

/// The libffi types of one call interface, and the memory of those that are made for its records.
///
/// libffi has no unions, bit-fields, 128-bit integers or arrays. For a call it matters only how a
/// value is passed, so each such type is described to libffi as a structure that is passed alike.
@safe
struct ForeignTypes: ~Copyable, @unchecked Sendable {
  // SAFETY: libffi's own types are static; those made here live as long as this value. The list is
  // changed only while the value has one owner, and libffi only reads the types.
  private var made: [UnsafeMutablePointer<ffi_type>] = unsafe []

  deinit {
    unsafe made.forEach { type in
      // SAFETY: `makeStructure` allocated both; only the interfaces of this value's owner use them.
      unsafe type.pointee.elements.deallocate()
      unsafe type.deallocate()
    }
  }

  // SAFETY: the result and its elements are static or owned by this value.
  /// The libffi type of an argument; nil if the argument is empty and not passed.
  mutating func argument(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type>? {
    try PassingClass.refuseAtomic(encoding)
    try Self.refuseVectors(encoding)
    if let scalar = unsafe scalar(encoding) { return unsafe scalar }
    return unsafe try record(argument: encoding, layout)
  }

  // SAFETY: as for arguments.
  /// The libffi type of a result; `void` for an empty one.
  mutating func result(
    _ encoding: TypeEncoding, _ layout: TypeLayout?
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type> {
    guard let layout else { return unsafe cffi_type_void() }
    try Self.refuseVectors(encoding)
    if case .complex(.longDouble) = encoding.type, LongDoubleFormat.isKnown,
      !encoding.qualifiers.contains(.atomic)
    {
      return unsafe cffi_type_complex_longdouble()
    }
    if let scalar = unsafe scalar(encoding) { return unsafe scalar }
    return unsafe try record(result: encoding, layout)
  }

  private static func refuseVectors(_ encoding: TypeEncoding) throws(InvocationError) {
    guard encoding.asParameter.holds({ $0.kind == .vector }) else { return }
    throw InvocationError(
      .unsupportedType,
      "\(encoding) is or holds a vector, which libffi cannot pass, nor can a call of a variadic "
        + "function: leave CallEngine.current at plans, or pass a pointer to it")
  }

  // SAFETY: libffi's own types are static.
  private func scalar(_ encoding: TypeEncoding) -> UnsafeMutablePointer<ffi_type>? {
    switch encoding.type {
    case .object, .block, .pointer, .array: unsafe cffi_type_pointer()
    case .primitive(let type):
      switch type {
      case .void, .int128, .uint128, .blank: nil
      case .bool, .uint8: unsafe cffi_type_uint8()
      case .int8: unsafe cffi_type_sint8()
      case .int16: unsafe cffi_type_sint16()
      case .uint16: unsafe cffi_type_uint16()
      case .int32, .long32: unsafe cffi_type_sint32()
      case .uint32, .unsignedLong32: unsafe cffi_type_uint32()
      case .int64: unsafe cffi_type_sint64()
      case .uint64: unsafe cffi_type_uint64()
      case .float: unsafe cffi_type_float()
      case .double: unsafe cffi_type_double()
      case .longDouble: unsafe LongDoubleFormat.isKnown ? cffi_type_longdouble() : nil
      case .cString, .classObject, .selector: unsafe cffi_type_pointer()
      }
    default: nil
    }
  }

  /// Makes a structure of given members, with the size and alignment of a layout, unless another
  /// alignment is given.
  mutating func makeStructure(
    _ layout: TypeLayout, _ members: [UnsafeMutablePointer<ffi_type>?], alignment: Int? = nil
  ) -> UnsafeMutablePointer<ffi_type> {
    // SAFETY: one place for each member, and one for the null that ends the list.
    let elements = unsafe UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>.allocate(
      capacity: members.count + 1)
    for index in unsafe members.indices {
      unsafe (elements + index).initialize(to: members[index])
    }
    unsafe (elements + members.count).initialize(to: nil)
    let type = UnsafeMutablePointer<ffi_type>.allocate(capacity: 1)
    // SAFETY: size and alignment are set, so libffi does not write them.
    unsafe type.initialize(
      to: ffi_type(
        size: layout.size, alignment: UInt16(alignment ?? layout.alignment),
        type: cffi_type_code_struct(), elements: elements))
    unsafe made.append(type)
    return unsafe type
  }
}
