internal import TypeEncodings

extension ValueSlot {
  // SAFETY: a slot's address is valid for its type, for which its creator vouched. Each function
  // reads or writes the Swift number that `kind` corresponds to.

  /// The integer in the slot; nil if its type is not an integer.
  var integer: Int128? {
    switch unsafe kind {
    case .int8: unsafe Int128(address.load(as: Int8.self))
    case .uint8: unsafe Int128(address.load(as: UInt8.self))
    case .int16: unsafe Int128(address.load(as: Int16.self))
    case .uint16: unsafe Int128(address.load(as: UInt16.self))
    case .int32: unsafe Int128(address.load(as: Int32.self))
    case .uint32: unsafe Int128(address.load(as: UInt32.self))
    case .int64: unsafe Int128(address.load(as: Int64.self))
    case .uint64: unsafe Int128(address.load(as: UInt64.self))
    case .int128: unsafe address.loadUnaligned(as: Int128.self)
    default: nil
    }
  }

  /// Writes an integer, which the slot's type must be able to hold.
  ///
  /// - Returns: False if the slot's type is not an integer.
  /// - Throws: `valueOutOfRange`.
  func storeInteger(_ value: some BinaryInteger) throws(InvocationError) -> Bool {
    switch unsafe kind {
    case .int8: unsafe try store(value, as: Int8.self)
    case .uint8: unsafe try store(value, as: UInt8.self)
    case .int16: unsafe try store(value, as: Int16.self)
    case .uint16: unsafe try store(value, as: UInt16.self)
    case .int32: unsafe try store(value, as: Int32.self)
    case .uint32: unsafe try store(value, as: UInt32.self)
    case .int64: unsafe try store(value, as: Int64.self)
    case .uint64: unsafe try store(value, as: UInt64.self)
    case .int128: unsafe try store(value, as: Int128.self)
    case .uint128: unsafe try store(value, as: UInt128.self)
    default: return false
    }
    return true
  }

  private func store<Stored: FixedWidthInteger & BitwiseCopyable>(
    _ value: some BinaryInteger, as type: Stored.Type
  ) throws(InvocationError) {
    guard let exact = Stored(exactly: value) else {
      throw unsafe error(
        .valueOutOfRange, "\(value) does not fit \(encoding) (\(Stored.min) to \(Stored.max))")
    }
    unsafe address.storeBytes(of: exact, as: Stored.self)
  }

  /// The floating-point number in the slot; nil if its type is not a floating-point number.
  var floatingPoint: LongDouble? {
    switch unsafe kind {
    case .float: unsafe LongDouble(address.load(as: Float.self))
    case .double: unsafe LongDouble(address.load(as: Double.self))
    case .longDouble: unsafe LongDoubleFormat.load(address).value
    default: nil
    }
  }

  /// Refuses a `long double` that no Swift type has.
  ///
  /// - Throws: `valueOutOfRange`.
  func requireExactNumber() throws(InvocationError) {
    if LongDoubleFormat.isAlwaysExact { return }
    guard unsafe kind == .longDouble, unsafe !LongDoubleFormat.load(address).isExact else { return }
    throw unsafe error(
      .valueOutOfRange,
      "the long double has more digits than \(LongDouble.self), the widest type of Swift here; pass "
        + "it on unread")
  }

  /// Writes a floating-point number, rounded to the slot's type as a literal is.
  ///
  /// - Returns: False if the slot's type is not a floating-point number.
  /// - Throws: `valueOutOfRange`.
  func storeFloatingPoint(_ value: some BinaryFloatingPoint) throws(InvocationError) -> Bool {
    switch unsafe kind {
    case .float:
      let rounded = Float(value)
      guard rounded.isFinite == value.isFinite, rounded.isZero == value.isZero else {
        throw unsafe error(.valueOutOfRange, "\(value) is beyond the range of float")
      }
      unsafe address.storeBytes(of: rounded, as: Float.self)
    case .double:
      let rounded = Double(value)
      guard rounded.isFinite == value.isFinite, rounded.isZero == value.isZero else {
        throw unsafe error(.valueOutOfRange, "\(value) is beyond the range of double")
      }
      unsafe address.storeBytes(of: rounded, as: Double.self)
    case .longDouble:
      unsafe LongDoubleFormat.store(LongDouble(value), at: address)
    default: return false
    }
    return true
  }
}

extension FixedWidthInteger {
  // SAFETY: the slot is valid during these functions.

  // On AArch64 C's `char` is unsigned, and encoded so, but Swift's `CChar` is signed.

  static func load(from slot: ValueSlot) throws(InvocationError) -> Self {
    #if arch(arm64)
    if Self.self == CChar.self, unsafe slot.kind == .uint8 {
      return Self(truncatingIfNeeded: unsafe slot.address.load(as: UInt8.self))
    }
    #endif
    if unsafe slot.kind == .uint128 {
      let value = unsafe slot.address.loadUnaligned(as: UInt128.self)
      if let exact = Self(exactly: value) { return exact }
      throw unsafe slot.error(.valueOutOfRange, "\(value) does not fit a Swift \(Self.self)")
    }
    guard let value = unsafe slot.integer else { throw unsafe slot.mismatch(Self.self) }
    if let exact = Self(exactly: value) { return exact }
    throw unsafe slot.error(.valueOutOfRange, "\(value) does not fit a Swift \(Self.self)")
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    #if arch(arm64)
    if Self.self == CChar.self, unsafe slot.kind == .uint8 {
      unsafe slot.address.storeBytes(of: UInt8(truncatingIfNeeded: self), as: UInt8.self)
      return
    }
    #endif
    if unsafe try slot.storeInteger(self) { return }
    // A floating-point parameter accepts an integer literal that it can represent exactly.
    let isExact =
      switch unsafe slot.kind {
      case .float: Float(exactly: self) != nil
      case .double: Double(exactly: self) != nil
      case .longDouble: LongDouble(exactly: self) != nil
      default: throw unsafe slot.mismatch(Self.self)
      }
    guard isExact else {
      throw unsafe slot.error(.valueOutOfRange, "\(self) is not exact as \(slot.encoding)")
    }
    _ = unsafe try slot.storeFloatingPoint(LongDouble(self))
  }
}

extension BinaryFloatingPoint {
  // SAFETY: as above.

  static func load(from slot: ValueSlot) throws(InvocationError) -> Self {
    guard let value = unsafe slot.floatingPoint else { throw unsafe slot.mismatch(Self.self) }
    unsafe try slot.requireExactNumber()
    let converted = Self(value)
    guard value.isNaN || LongDouble(converted) == value else {
      throw unsafe slot.error(.valueOutOfRange, "\(value) is not exact as a Swift \(Self.self)")
    }
    return converted
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    guard unsafe try slot.storeFloatingPoint(self) else { throw unsafe slot.mismatch(Self.self) }
  }
}

extension Int: SlotConvertible {}
extension Int8: SlotConvertible {}
extension Int16: SlotConvertible {}
extension Int32: SlotConvertible {}
extension Int64: SlotConvertible {}
extension Int128: SlotConvertible {}
extension UInt: SlotConvertible {}
extension UInt8: SlotConvertible {}
extension UInt16: SlotConvertible {}
extension UInt32: SlotConvertible {}
extension UInt64: SlotConvertible {}
extension UInt128: SlotConvertible {}
extension Float: SlotConvertible {}
extension Double: SlotConvertible {}

extension Bool: SlotConvertible {
  // SAFETY: as above. A C `_Bool` is one byte.

  static func load(from slot: ValueSlot) throws(InvocationError) -> Bool {
    guard unsafe slot.kind == .bool else { throw unsafe slot.mismatch(Bool.self) }
    return unsafe slot.address.load(as: UInt8.self) != 0
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    guard unsafe slot.kind == .bool else { throw unsafe slot.mismatch(Bool.self) }
    unsafe slot.address.storeBytes(of: self ? 1 : 0, as: UInt8.self)
  }
}
