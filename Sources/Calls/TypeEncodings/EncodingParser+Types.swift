extension EncodingParser {
  /// Reads one type with its qualifiers.
  ///
  /// - Parameter namesFollow: Whether a quoted text after an object may name the next field.
  /// - Returns: The type.
  /// - Throws: Every code of parsing, except `empty`, `tooLong` and `trailingText`.
  @inline(__always)
  mutating func type(namesFollow: Bool = false) throws(TypeEncodingError) -> TypeEncoding {
    if let byte = next, let primitive = PrimitiveType(rawValue: byte) {
      position += 1
      return TypeEncoding(.primitive(primitive))
    }
    return try qualifiedType(namesFollow: namesFollow)
  }

  /// Reads one type that is not a plain primitive one.
  private mutating func qualifiedType(
    namesFollow: Bool
  ) throws(TypeEncodingError) -> TypeEncoding {
    let qualifiers = qualifiers()
    return TypeEncoding(qualifiers: qualifiers, try unqualifiedType(namesFollow: namesFollow))
  }

  /// Reads the qualifiers before a type.
  @inline(__always)
  private mutating func qualifiers() -> [TypeQualifier] {
    guard let byte = next, let first = TypeQualifier(rawValue: byte) else { return [] }
    position += 1
    var qualifiers = first == .const ? Self.onlyConst : [first]
    while let byte = next, let qualifier = TypeQualifier(rawValue: byte) {
      qualifiers.append(qualifier)
      position += 1
    }
    return qualifiers
  }

  /// The most frequent qualifiers: a constant in the program's data, never allocated.
  private static let onlyConst: [TypeQualifier] = [.const]

  /// Reads one type that has no qualifiers.
  @inline(__always)
  private mutating func unqualifiedType(
    namesFollow: Bool
  ) throws(TypeEncodingError) -> EncodedType {
    guard let byte = next else {
      throw error(.unexpectedEnd, "a type must stand here; write a missing one as ?")
    }
    switch byte {
    case Ascii.at: return try object(namesFollow: namesFollow)
    case Ascii.caret: return .pointer(try pointee(namesFollow: namesFollow))
    case Ascii.openBracket: return try array()
    case Ascii.openBrace: return .structure(try record(closedBy: Ascii.closeBrace))
    case Ascii.openParenthesis: return .union(try record(closedBy: Ascii.closeParenthesis))
    case Ascii.b: return .bitField(try bitField())
    case Ascii.j: return try complex()
    case Ascii.exclamation: return try vector()
    case Ascii.question:
      position += 1
      return .unknown
    default:
      guard let primitive = PrimitiveType(rawValue: byte) else {
        throw error(.unexpectedCharacter, "no type begins with this character")
      }
      position += 1
      return .primitive(primitive)
    }
  }

  /// Reads `@`, `@"Class"`, `@?` or `@?<signature>`.
  @inline(__always)
  private mutating func object(namesFollow: Bool) throws(TypeEncodingError) -> EncodedType {
    position += 1
    guard !skip(Ascii.question) else { return try block() }
    guard next == Ascii.quote, !namesFollow || quotedTextEndsField() else {
      return .object(className: nil)
    }
    return .object(className: try quotedText("a class name"))
  }

  /// Reads a block's signature between `<` and `>`, if there is one.
  @inline(__always)
  private mutating func block() throws(TypeEncodingError) -> EncodedType {
    guard skip(Ascii.less) else { return .block(nil) }
    try descend()
    let signature = try signature(isNested: true)
    try expect(Ascii.greater, closing: "a block's signature")
    depth -= 1
    return .block(signature)
  }

  /// Whether the quoted text at the current position ends a field, so that it cannot name the next
  /// one.
  private func quotedTextEndsField() -> Bool {
    guard let end = firstQuote(from: position + 1) else { return true }
    switch peek(at: end + 1) {
    case nil, Ascii.quote, Ascii.closeBrace, Ascii.closeParenthesis: return true
    default: return false
    }
  }

  /// Reads the type that a pointer points to; it may be missing if more text follows.
  private mutating func pointee(namesFollow: Bool) throws(TypeEncodingError) -> TypeEncoding {
    position += 1
    try descend()
    defer { depth -= 1 }
    switch next {
    case Ascii.closeBrace, Ascii.closeParenthesis, Ascii.closeBracket, Ascii.greater, Ascii.quote:
      return TypeEncoding(.vanished)
    case .some where nextIsDigit: return TypeEncoding(.vanished)
    default: return try type(namesFollow: namesFollow)
    }
  }

  /// Reads `[12f]`.
  private mutating func array() throws(TypeEncodingError) -> EncodedType {
    position += 1
    try descend()
    let count = try number("an array's count")
    guard next != Ascii.closeBracket else {
      throw error(
        .vanishedType, "the array's element type is missing; clang writes nothing for vectors")
    }
    let element = try type()
    try expect(Ascii.closeBracket, closing: "an array")
    depth -= 1
    return .array(count: count, element: element)
  }

  /// Reads `b3`, or in GNU's notation `b8i3`.
  private mutating func bitField() throws(TypeEncodingError) -> BitFieldEncoding {
    position += 1
    let first = try number("a bit-field's width or position")
    guard let byte = next, let base = PrimitiveType(rawValue: byte), base.isInteger,
      let following = peek(at: position + 1), EncodingParser.isDigit(following)
    else { return BitFieldEncoding(width: first) }
    position += 1
    let width = try number("a bit-field's width")
    return BitFieldEncoding(width: width, placement: .init(bitOffset: first, base: base))
  }

  /// Reads a complex number such as `jd`.
  private mutating func complex() throws(TypeEncodingError) -> EncodedType {
    position += 1
    guard let byte = next else {
      throw error(.unexpectedEnd, "a complex number's part must stand here, such as d")
    }
    guard let part = PrimitiveType(rawValue: byte),
      part.isInteger || [.float, .double, .longDouble, .blank].contains(part)
    else { throw error(.unexpectedCharacter, "a complex number's part must be a number") }
    position += 1
    return .complex(part)
  }
}
