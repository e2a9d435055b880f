extension TypeEncoding {
  /// Whether a predicate is true of the type, or of the type of a part at any depth.
  package func holds(_ isTrue: (TypeEncoding) -> Bool) -> Bool {
    if isTrue(self) { return true }
    return switch type {
    case .array(_, let element): element.holds(isTrue)
    case .structure(let record), .union(let record):
      (record.fields ?? []).contains { $0.encoding.holds(isTrue) }
    default: false
    }
  }

  /// The record of a structure or union; nil for other types.
  package var record: RecordEncoding? {
    switch type {
    case .structure(let record), .union(let record): record
    default: nil
    }
  }

  /// The members of a structure or union that have values: all but bit-fields of zero width.
  package var valueMembers: [FieldEncoding] {
    (record?.fields ?? []).filter { field in
      if case .bitField(let bits) = field.encoding.type { bits.width > 0 } else { true }
    }
  }
}

extension RecordEncoding {
  /// Whether a field has a name in C; nil if the encoding names no fields.
  package func tellsName(of field: FieldEncoding) -> Bool? {
    guard let fields, fields.contains(where: { $0.name?.isEmpty == false }) else { return nil }
    return field.name?.isEmpty == false
  }
}

extension BitFieldEncoding {
  /// Whether the declared type has a sign; without one, the bits are taken as they are.
  package var isSigned: Bool {
    let signed: [PrimitiveType] = [.int8, .int16, .int32, .long32, .int64, .int128]
    return placement.map { signed.contains($0.base) } ?? false
  }

  /// The range of the values.
  package var values: ClosedRange<Int128> {
    let width = Int128(min(width, 128))
    if isSigned { return (Int128.min >> (128 - width))...(Int128.max >> (128 - width)) }
    return width == 128 ? Int128.min...Int128.max : 0...(Int128.max >> (127 - width))
  }
}

extension TypeEncoding {
  /// The type that C passes for a variable argument of this type; nil if C passes the type itself.
  ///
  /// Specification: C11, 6.5.2.2.
  package var promotion: PrimitiveType? {
    switch kind {
    case .bool, .int8, .uint8, .int16, .uint16: .int32
    case .float: .double
    default: nil
    }
  }
}
