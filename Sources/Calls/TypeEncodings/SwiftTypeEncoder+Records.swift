extension SwiftTypeEncoder {
  /// The encoding of a structure whose members have the offsets that C would give them.
  func structure(
    _ type: Any.Type, _ metadata: SwiftTypeMetadata
  ) throws(TypeEncodingError) -> TypeEncoding {
    let name = _typeName(type, qualified: false)
    guard expandsRecords else {
      return TypeEncoding(.structure(RecordEncoding(tag: name, fields: nil)))
    }
    guard let members = metadata.members else {
      throw refusal(
        type, "reflection cannot read a member of block type; conform the type to TypeEncodable")
    }
    return try record(type, tag: name, members, isImported: metadata.isImportedFromC)
  }

  /// The encoding of a tuple: void if it is empty, else an anonymous structure.
  func tuple(_ type: Any.Type) throws(TypeEncodingError) -> TypeEncoding {
    guard type != Void.self else { return TypeEncoding(.primitive(.void)) }
    guard expandsRecords else {
      return TypeEncoding(.structure(RecordEncoding(tag: "?", fields: nil)))
    }
    guard let members = SwiftTypeMetadata(type).members else {
      throw refusal(type, "reflection cannot read the tuple's members; use a structure")
    }
    return try record(type, tag: "?", members, isImported: false)
  }

  /// The encoding of members, checked against the offsets that Swift gives them.
  private func record(
    _ type: Any.Type, tag: String, _ members: [SwiftTypeMetadata.Member], isImported: Bool
  ) throws(TypeEncodingError) -> TypeEncoding {
    let encoder = SwiftTypeEncoder(expandsRecords: true, expandsPointees: false)
    var fields: [FieldEncoding] = []
    for member in members {
      fields.append(FieldEncoding(try encoder.field(member.type)))
    }
    let encoding = TypeEncoding(.structure(RecordEncoding(tag: tag, fields: fields)))
    let layout = try encoding.layout()
    for (member, field) in zip(members, layout.fields) where member.offset != field.offset {
      throw refusal(
        type,
        "member \(member.name) lies at byte \(member.offset), C would place it at byte "
          + "\(field.offset)" + Self.remedy(isImported: isImported), code: .layoutMismatch)
    }
    let size = SwiftTypeMetadata(type).size
    // In Swift the stride of an empty structure is one byte; in GNU C its size is zero.
    guard size.stride == layout.size || layout.size == 0 && size.size == 0,
      size.alignment == layout.alignment
    else {
      throw refusal(
        type,
        "it takes \(size.stride.of("byte")) aligned to \(size.alignment), C's record of its members "
          + "\(layout.size) aligned to \(layout.alignment)"
          + Self.remedy(isImported: isImported), code: .layoutMismatch)
    }
    if isImported { try refuseHiddenBits(type, encoding, layout) }
    return encoding
  }

  /// The encoding of a member; an empty tuple stands for a C array without elements.
  private func field(_ type: Any.Type) throws(TypeEncodingError) -> TypeEncoding {
    guard type != Void.self else {
      return TypeEncoding(.structure(RecordEncoding(tag: "?", fields: [])))
    }
    var encoding = try encoding(of: type)
    encoding.qualifiers.removeAll { $0 == .const }
    if case .block = encoding.type { return TypeEncoding(.block(nil)) }
    return encoding
  }

  /// The advice for a member that Swift and C place differently.
  private static func remedy(isImported: Bool) -> String {
    isImported
      ? "; it may be a union, or have bit-fields or members that Swift does not import: "
        + "conform it to TypeEncodable"
      : "; declare the type in C, or pass it by pointer"
  }

  /// Throws if padding could hide bit-fields that change how the record is passed.
  ///
  /// Swift imports bit-fields as computed properties, which reflection does not report. Next to
  /// integers they change nothing; next to floats they move the record to other registers.
  private func refuseHiddenBits(
    _ type: Any.Type, _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(TypeEncodingError) {
    guard layout.size <= 16 else { return }
    var uses = Array(repeating: ByteUse.padding, count: 16)
    ByteUse.mark(encoding, layout, at: 0, in: &uses)
    for start in stride(from: 0, to: layout.size, by: 8) {
      let eightbyte = uses[start..<min(start + 8, layout.size)]
      guard eightbyte.contains(.padding), eightbyte.contains(.floating),
        !eightbyte.contains(.other)
      else { continue }
      throw refusal(
        type,
        "the padding beside its floats could hide bit-fields, which Swift does not show; "
          + "conform it to TypeEncodable", code: .layoutMismatch)
    }
  }
}

/// The use of one byte of a small record.
private enum ByteUse {
  case padding, floating, other

  /// Marks the bytes of a type that begins at an offset.
  static func mark(
    _ encoding: TypeEncoding, _ layout: TypeLayout, at offset: Int, in uses: inout [ByteUse]
  ) {
    switch encoding.type {
    case .structure(let record), .union(let record):
      for (field, place) in zip(record.fields ?? [], layout.fields) {
        guard let inner = place.layout else { continue }
        mark(field.encoding, inner, at: offset + place.offset, in: &uses)
      }
    default:
      let isFloating = [.float, .double, .vector].contains(encoding.kind)
      for byte in offset..<min(offset + layout.size, uses.count) {
        uses[byte] = isFloating ? .floating : .other
      }
    }
  }
}
