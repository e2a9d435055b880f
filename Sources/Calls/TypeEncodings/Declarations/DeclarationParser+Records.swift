extension DeclarationParser {
  /// Reads a structure or union from its keyword on: its tag, its members, or both.
  mutating func record(isUnion: Bool) throws(TypeEncodingError) -> DeclaredType {
    advance()
    while try skipAttributes() {}
    let start = token
    let tag = skipName()
    guard token.kind == .mark("{") else {
      guard let tag else {
        throw error(.unexpectedCharacter, "a record's tag or its members in braces must stand here")
      }
      return try tagged(tag, isUnion: isUnion, at: start)
    }
    let type =
      try tag.map { (tag) throws(TypeEncodingError) in
        try tagged(tag, isUnion: isUnion, at: start)
      } ?? newRecord(isUnion: isUnion, tag: nil)
    guard case .record(let record) = type.shape, record.members == nil else {
      throw error(.unexpectedCharacter, "\(tag ?? "") is declared a second time", at: start)
    }
    try complete(record, at: start)
    while try skipAttributes() {}
    return DeclaredType(.record(record))
  }

  /// The record, union or Swift type of a tag; a new record if there is none.
  private mutating func tagged(
    _ tag: String, isUnion: Bool, at start: CToken
  ) throws(TypeEncodingError) -> DeclaredType {
    guard let known = tags[tag] else {
      let type = newRecord(isUnion: isUnion, tag: tag)
      tags[tag] = type
      return type
    }
    let isSame =
      switch known.shape {
      case .record(let record): record.isUnion == isUnion
      case .encoded: true
      default: false
      }
    guard isSame else {
      throw error(
        .unexpectedCharacter, "\(tag) is declared as another kind of type before", at: start)
    }
    return known
  }

  private mutating func newRecord(isUnion: Bool, tag: String?) -> DeclaredType {
    let record = DeclaredRecord(isUnion: isUnion, tag: tag)
    records.append(record)
    return DeclaredType(.record(record))
  }

  private mutating func skipName() -> String? {
    guard case .word(let name) = token.kind else { return nil }
    advance()
    return name
  }

  // MARK: - Members

  /// Reads the members of a record in their braces.
  private mutating func complete(
    _ record: DeclaredRecord, at start: CToken
  ) throws(TypeEncodingError) {
    try descend()
    try expect("{", "a record")
    var layout = RecordLayout(isUnion: record.isUnion, largestNamed: 0)
    var members: [DeclaredRecord.Member] = []
    while !skip(mark: "}") {
      let base = try specifiers()
      if token.kind == .mark(";"), case .record(let inner) = base.shape, inner.tag == nil {
        try append(.init(name: nil, type: base, bits: nil), to: &members, &layout)
      } else {
        repeat {
          try append(try member(of: base), to: &members, &layout)
        } while skip(mark: ",")
      }
      try expect(";", "a record's member")
    }
    depth -= 1
    let isKnown: Bool
    do throws(LayoutRefusal) {
      try record.complete(members, layout.finished())
      isKnown = try record.hasKnownLayout()
    } catch {
      throw self.error(error, at: start)
    }
    guard record.depth < TypeEncoding.maximumDepth else {
      throw error(
        .tooDeep, "types nest at most \(TypeEncoding.maximumDepth) levels deep", at: start)
    }
    guard isKnown else {
      throw error(
        .ambiguousLayout,
        "\(record) has bit-fields without a name, and its encoding cannot say how they align it; "
          + "name them, or pass it by pointer", at: start)
    }
  }

  private mutating func member(
    of base: DeclaredType
  ) throws(TypeEncodingError) -> DeclaredRecord.Member {
    let start = token
    let declared =
      token.kind == .mark(":") ? Declared(name: nil, type: base) : try declarator(of: base)
    guard skip(mark: ":") else {
      guard declared.name != nil else {
        throw error(.unexpectedCharacter, "a member's name must stand here", at: start)
      }
      return .init(name: declared.name, type: declared.type, bits: nil)
    }
    let width = try constant().value
    while try skipAttributes() {}
    guard case .primitive(let primitive) = declared.type.shape, primitive.isInteger,
      !declared.type.isAtomic
    else { throw error(.noLayout, "only integers are bit-fields", at: start) }
    guard (0...128).contains(width), width > 0 || declared.name == nil else {
      throw error(
        .noLayout, "a bit-field has 1 to 128 bits; without a name it may have 0", at: start)
    }
    return .init(
      name: declared.name, type: declared.type,
      bits: BitFieldEncoding(
        width: Int(width), placement: .init(bitOffset: 0, base: primitive)))
  }

  /// Places a member behind the others.
  private func append(
    _ member: DeclaredRecord.Member, to members: inout [DeclaredRecord.Member],
    _ layout: inout RecordLayout
  ) throws(TypeEncodingError) {
    do throws(LayoutRefusal) {
      if var bits = member.bits {
        let offset = try layout.append(
          bitsOf: try member.type.layout(), width: bits.width, isNamed: member.name != nil)
        bits.placement?.bitOffset = offset
        members.append(.init(name: member.name, type: member.type, bits: bits))
      } else {
        try layout.append(try member.layout())
        members.append(member)
      }
    } catch { throw self.error(error, at: token) }
  }

  // MARK: - Enumerations

  /// Reads an enumeration from its keyword on.
  mutating func enumeration() throws(TypeEncodingError) -> DeclaredType {
    advance()
    while try skipAttributes() {}
    let start = token
    let tag = skipName()
    var underlying: DeclaredType?
    if token.kind == .mark(":"), typeBegins(at: index + 1) {
      advance()
      try descend()
      underlying = try specifiers()
      depth -= 1
    }
    var type = underlying
    if skip(mark: "{") {
      let range = try enumerators()
      type = underlying ?? DeclaredType(.primitive(Self.type(holding: range)))
    } else if underlying == nil {
      type = tag.flatMap { tags[$0] }
    }
    guard let type else {
      throw error(
        .unknownType,
        "the enumeration \(tag ?? "") is not known; declare its constants before, or write int",
        at: start)
    }
    if let tag { tags[tag] = type }
    while try skipAttributes() {}
    return type
  }

  /// Reads constants up to the closing brace, and gives their least and greatest value.
  private mutating func enumerators() throws(TypeEncodingError) -> ClosedRange<Int128> {
    var (least, greatest): (Int128, Int128) = (0, 0)
    var constant = CConstant(literal: 0)
    repeat {
      if token.kind == .mark("}") { break }
      guard let name = skipName() else {
        throw error(.unexpectedCharacter, "a constant's name must stand here, not \(token)")
      }
      while try skipAttributes() {}
      if skip(mark: "=") { constant = try self.constant() }
      // The constant is an `int` if it fits one.
      meanings[name] = .constant(CConstant(literal: constant.value))
      (least, greatest) = (min(least, constant.value), max(greatest, constant.value))
      constant = CConstant(literal: constant.value + 1)
    } while skip(mark: ",")
    try expect("}", "an enumeration")
    return least...greatest
  }

  /// The type of an enumeration's values: an `int` if all fit, as clang encodes it.
  private static func type(holding range: ClosedRange<Int128>) -> PrimitiveType {
    func fits<Integer: FixedWidthInteger>(_: Integer.Type) -> Bool {
      range.lowerBound >= Int128(Integer.min) && range.upperBound <= Int128(Integer.max)
    }
    return fits(Int32.self)
      ? .int32 : fits(UInt32.self) ? .uint32 : fits(Int64.self) ? .int64 : .uint64
  }
}

extension DeclaredRecord {
  /// Whether the encoding gives the layout that the declaration has.
  fileprivate func hasKnownLayout() throws(LayoutRefusal) -> Bool {
    guard let members, members.contains(where: { $0.bits != nil && $0.name == nil }) else {
      return true
    }
    var encoded = RecordLayout(isUnion: isUnion)
    for member in members {
      if let bits = member.bits {
        try encoded.append(bitsOf: member.type.layout(), width: bits.width)
      } else {
        try encoded.append(member.layout())
      }
    }
    let written = try encoded.finished()
    return written.size == layout?.size && written.alignment == layout?.alignment
  }
}
