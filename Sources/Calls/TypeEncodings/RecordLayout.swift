/// The layout of a record whose members are placed one after the other.
struct RecordLayout: Hashable {
  /// The largest size whose number of bits can still be represented.
  static let maximumSize = 1 << 59

  /// The error for larger sizes.
  static let overflow = LayoutRefusal(
    code: .sizeOverflow, message: "the type is larger than an address space; lower its counts")

  private let isUnion: Bool
  private let largestNamed: Int
  private var fields: [TypeLayout.Field] = []
  private var bits = 0
  private var alignment = 1

  /// The least alignment of a bit-field's declared type; nil if another member must have the name
  /// that C demands.
  private var leastBitAlignment: Int? = .max

  /// Begins an empty record.
  ///
  /// - Parameters:
  ///   - isUnion: Whether all members are at its beginning.
  ///   - largestNamed: The largest alignment of a bit-field that has a name, where that is not
  ///     known.
  init(isUnion: Bool, largestNamed: Int = .max) {
    self.isUnion = isUnion
    self.largestNamed = largestNamed
  }

  /// Places an ordinary member.
  mutating func append(_ layout: TypeLayout) throws(LayoutRefusal) {
    let offset =
      isUnion ? 0 : Self.roundedUp(Self.roundedUp(bits, to: 8) / 8, to: layout.alignment)
    let end = offset + layout.size
    guard end <= Self.maximumSize else { throw Self.overflow }
    bits = isUnion ? max(bits, end * 8) : end * 8
    alignment = max(alignment, layout.alignment)
    leastBitAlignment = nil
    fields.append(.init(offset: offset, layout: layout))
  }

  /// Places a bit-field.
  ///
  /// - Parameters:
  ///   - base: The layout of the declared type.
  ///   - width: The width in bits; 0 ends the current storage unit, and aligns nothing else
  ///     on x86-64, but the record on AArch64.
  ///   - expectedOffset: The first bit according to the encoding; nil if that does not give it, in
  ///     which case the result leaves out the field's declared type.
  ///   - isNamed: Whether the field has a name; nil if that is not known.
  /// - Returns: The first bit.
  /// - Throws: `noLayout`, `packedRecord` and `sizeOverflow`.
  @discardableResult
  mutating func append(
    bitsOf base: TypeLayout, width: Int, expectedOffset: Int? = nil, isNamed: Bool? = nil
  ) throws(LayoutRefusal) -> Int {
    let unit = base.size * 8
    guard width <= unit else {
      throw LayoutRefusal(
        code: .noLayout, message: "a bit-field of \(width) bits exceeds its type's \(unit) bits")
    }
    var offset = isUnion ? 0 : bits
    if width == 0 || offset % unit + width > unit { offset = Self.roundedUp(offset, to: unit) }
    if let expectedOffset, expectedOffset != offset {
      throw LayoutRefusal(
        code: .packedRecord,
        message: "a bit-field is written at bit \(expectedOffset), but unpacked C places it at "
          + "bit \(offset); pass the record by pointer")
    }
    let end = offset + width
    guard end <= Self.maximumSize * 8 - 8 else { throw Self.overflow }
    bits = max(bits, end)
    if width > 0 && isNamed ?? (base.alignment <= largestNamed) || Self.withoutNameRaisesAlignment {
      alignment = max(alignment, base.alignment)
    }
    if isNamed != nil {
      leastBitAlignment = nil
    } else if width > 0 {
      leastBitAlignment = leastBitAlignment.map { min($0, base.alignment) }
    }
    fields.append(
      .init(offset: offset / 8, bitOffset: offset, layout: expectedOffset == nil ? nil : base))
    return offset
  }

  /// Whether a bit-field without name raises the record's alignment to that of its declared type.
  ///
  /// Specification: System V ABI, AMD64 supplement, 3.1.2; AAPCS64, 10.1.8.
  private static var withoutNameRaisesAlignment: Bool {
    #if arch(arm64)
    true
    #else
    false
    #endif
  }

  /// The layout of the whole record, with the padding at its end.
  func finished() throws(LayoutRefusal) -> TypeLayout {
    let named = leastBitAlignment.flatMap { $0 == .max ? nil : $0 } ?? 1
    let alignment = max(alignment, named)
    let size = Self.roundedUp(Self.roundedUp(bits, to: 8) / 8, to: alignment)
    guard size <= Self.maximumSize else { throw Self.overflow }
    return TypeLayout(size: size, alignment: alignment, fields: fields)
  }

  private static func roundedUp(_ value: Int, to multiple: Int) -> Int {
    (value + multiple - 1) / multiple * multiple
  }
}
