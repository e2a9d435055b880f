extension EncodingParser {
  /// Reads `{tag=fields}` or `{tag}`, or a union in parentheses.
  mutating func record(closedBy closer: UInt8) throws(TypeEncodingError) -> RecordEncoding {
    position += 1
    try descend()
    let tag = try tag(closedBy: closer)
    guard skip(Ascii.equals) else {
      position += 1
      depth -= 1
      return RecordEncoding(tag: tag, fields: nil)
    }
    let fields = try list(FieldList(closer: closer, isNamed: next == Ascii.quote))
    try expect(closer, closing: "a record")
    depth -= 1
    return RecordEncoding(tag: tag, fields: fields)
  }

  /// The members of a record.
  private struct FieldList: ParsedList {
    let closer: UInt8

    /// Whether the first member has a name.
    let isNamed: Bool

    func goesOn(in parser: borrowing EncodingParser) -> Bool {
      parser.next.map { $0 != closer } ?? false
    }

    func element(_ parser: inout EncodingParser) throws(TypeEncodingError) -> FieldEncoding {
      try parser.field(isNamed: isNamed)
    }
  }

  /// Reads one member with its name, if it has one.
  private mutating func field(isNamed: Bool) throws(TypeEncodingError) -> FieldEncoding {
    guard next == Ascii.quote else { return FieldEncoding(try type(namesFollow: isNamed)) }
    let name = try quotedText("a field's name")
    switch next {
    case Ascii.quote, Ascii.closeBrace, Ascii.closeParenthesis:
      return FieldEncoding(name: name, TypeEncoding(.vanished))
    default: return FieldEncoding(name: name, try type(namesFollow: isNamed))
    }
  }

  /// Reads up to, but not including, the `=` or the closing bracket after a tag.
  ///
  /// Template arguments between `<` and `>` may contain any character.
  private mutating func tag(closedBy closer: UInt8) throws(TypeEncodingError) -> String {
    let start = position
    var openAngles = 0
    while let byte = next {
      if byte == Ascii.less {
        openAngles += 1
      } else if byte == Ascii.greater, openAngles > 0 {
        // The `>` of the arrow in `f<() -> Int>` does not close a bracket.
        if peek(at: position - 1) != Ascii.minus { openAngles -= 1 }
      } else if openAngles == 0 {
        if byte == Ascii.equals || byte == closer { return string(start..<position) }
        guard Self.mayStandInTag(byte) else {
          throw error(.unexpectedCharacter, "a record's tag cannot hold this; end it with =")
        }
      }
      position += 1
    }
    throw error(.unterminated, "the record is not closed; add =, its fields and the bracket")
  }

  /// Whether a tag may contain a byte outside template arguments.
  private static func mayStandInTag(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
      UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "-"),
      UInt8(ascii: "?"), UInt8(ascii: " "), 0x80...:
      true
    default: false
    }
  }
}
