package import TypeEncodings

extension ValueSlot {
  /// One member of a structure or union.
  @unsafe
  package enum Member {
    case slot(ValueSlot)
    case bits(BitFieldSlot)
  }

  /// The members of the slot's structure or union, without bit-fields of zero width.
  package func members() throws(InvocationError) -> [Member] {
    guard let record = unsafe encoding.record else { return unsafe [] }
    // SAFETY: the layout places every member inside of the slot's memory.
    var members: [Member] = unsafe []
    for (field, placed) in unsafe zip(record.fields ?? [], layout.fields) {
      guard placed.isSettled else {
        throw unsafe error(
          .unsupportedType,
          "the encoding does not say where \(field.encoding) lies in it; give its declaration in C")
      }
      if case .bitField(let bits) = field.encoding.type {
        guard bits.width > 0, let offset = placed.bitOffset else { continue }
        unsafe members.append(.bits(BitFieldSlot(bits, at: address, bitOffset: offset)))
      } else if let fieldLayout = placed.layout {
        unsafe members.append(
          .slot(ValueSlot(field.encoding, fieldLayout, memberPlace, at: address + placed.offset)))
      } else {
        throw unsafe error(.unsupportedType, "the type of \(field.encoding) is not known")
      }
    }
    return unsafe members
  }

  /// The elements of the slot's array or vector.
  package func elements() throws(InvocationError) -> [ValueSlot] {
    guard let (count, element) = unsafe encoding.listedElements else { return unsafe [] }
    let elementLayout = try InvocationError.passing(element.layout())
    // Elements without a size contain nothing, however many there are.
    guard elementLayout.size > 0 else { return unsafe [] }
    // SAFETY: the array's layout has room for all elements.
    return unsafe (0..<count).map { index in
      unsafe ValueSlot(
        element, elementLayout, memberPlace, at: address + index * elementLayout.size)
    }
  }

  /// The two halves of a complex number.
  package var halves: (real: ValueSlot, imaginary: ValueSlot) {
    let part: PrimitiveType
    if case .complex(let type) = unsafe encoding.type { part = type } else { part = .double }
    let half = unsafe layout.size / 2
    let halfLayout = TypeLayout(size: half, alignment: half)
    return unsafe (
      ValueSlot(TypeEncoding(.primitive(part)), halfLayout, memberPlace, at: address),
      ValueSlot(TypeEncoding(.primitive(part)), halfLayout, memberPlace, at: address + half)
    )
  }

  /// Inside a record an array is an array, and no pointer as an argument is.
  private var memberPlace: Place {
    switch unsafe place {
    case .argument(let index), .member(let index?): .member(argument: index)
    case .result, .member(nil): .member(argument: nil)
    case .memory: .memory
    }
  }
}

/// The bits of one bit-field.
@unsafe
package struct BitFieldSlot {
  private let field: BitFieldEncoding
  private let address: UnsafeMutableRawPointer
  private let bitOffset: Int

  package init(_ field: BitFieldEncoding, at address: UnsafeMutableRawPointer, bitOffset: Int) {
    unsafe self.field = field
    unsafe self.address = unsafe address
    unsafe self.bitOffset = bitOffset
  }

  package var width: Int { unsafe field.width }

  /// The field's value, extended by its sign if its declared type has one.
  package var value: Int128 {
    var bits: UInt128 = 0
    for index in unsafe 0..<width where unsafe isSet(index) { bits |= 1 << UInt128(index) }
    guard unsafe field.isSigned, unsafe width > 0, unsafe isSet(width - 1) else {
      return Int128(truncatingIfNeeded: bits)
    }
    let extended = unsafe width < 128 ? bits | (UInt128.max << UInt128(width)) : bits
    return Int128(bitPattern: extended)
  }

  /// Writes a value.
  ///
  /// - Returns: False, and nothing is written, if the value does not fit.
  package func set(_ value: Int128) -> Bool {
    guard unsafe field.values.contains(value) else { return false }
    for index in unsafe 0..<width {
      let position = unsafe bitOffset + index
      let byte = unsafe address + position / 8
      let mask = UInt8(1) << UInt8(position % 8)
      let old = unsafe byte.load(as: UInt8.self)
      let isOne = value >> Int128(index) & 1 != 0
      unsafe byte.storeBytes(of: isOne ? old | mask : old & ~mask, as: UInt8.self)
    }
    return true
  }

  private func isSet(_ index: Int) -> Bool {
    let position = unsafe bitOffset + index
    return unsafe (address + position / 8).load(as: UInt8.self) >> UInt8(position % 8) & 1 != 0
  }
}
