/// One word, number or mark of a text in C.
struct CToken: Equatable {
  /// The kind of a token, with its contents.
  enum Kind: Equatable {
    /// An identifier or keyword.
    case word(String)
    /// An integer constant.
    case number(CConstant)
    /// The text between quotes, which only attributes use.
    case text(String)
    /// Punctuation, such as `(` or `...`.
    case mark(String)
    /// The end of the text.
    case end
  }

  let kind: Kind

  /// The offset of the first byte in the text.
  let offset: Int

  /// The tokens of a text, the last of which is its end; white space and comments are left out.
  ///
  /// - Throws: `tooLong`, `unterminated`, `malformedNumber`, `numberTooLarge`,
  ///   `unexpectedCharacter`.
  static func all(of text: String) throws(TypeEncodingError) -> [CToken] {
    guard text.utf8.count <= TypeEncoding.maximumLength else {
      throw TypeEncodingError(
        code: .tooLong,
        message: "a declaration has at most \(TypeEncoding.maximumLength) bytes, this one "
          + "\(text.utf8.count)", input: text, offset: TypeEncoding.maximumLength)
    }
    var scanner = CScanner(text: text, bytes: Array(text.utf8))
    var tokens: [CToken] = []
    while tokens.last?.kind != .end { tokens.append(try scanner.next()) }
    return tokens
  }
}

extension CToken: CustomStringConvertible {
  /// The token as an error names it.
  var description: String {
    switch kind {
    case .word(let text), .mark(let text): text
    case .number(let number): "\(number.value)"
    case .text(let text): "\"\(text)\""
    case .end: "the end"
    }
  }
}

/// Splits a text into tokens.
private struct CScanner {
  let text: String
  let bytes: [UInt8]
  var position = 0

  private func byte(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private func error(
    _ code: ErrorCode, _ message: String, at offset: Int
  ) -> TypeEncodingError {
    TypeEncodingError(code: code, message: message, input: text, offset: offset)
  }

  mutating func next() throws(TypeEncodingError) -> CToken {
    try skipSpace()
    let start = position
    guard let first = byte() else { return CToken(kind: .end, offset: start) }
    if Self.isLetter(first) {
      return CToken(kind: .word(word()), offset: start)
    } else if EncodingParser.isDigit(first) {
      return CToken(kind: .number(try number()), offset: start)
    } else if first == UInt8(ascii: "'") {
      return CToken(kind: .number(try character()), offset: start)
    }
    if first == UInt8(ascii: "\"") {
      position += 1
      while let other = byte(), other != first { position += other == UInt8(ascii: "\\") ? 2 : 1 }
      guard byte() != nil else {
        throw error(.unterminated, "the text is not closed; add \"", at: start)
      }
      position += 1
      let text = String(decoding: bytes[(start + 1)..<(position - 1)], as: UTF8.self)
      return CToken(kind: .text(text), offset: start)
    }
    for mark in Self.marks where bytes[position...].starts(with: mark.utf8) {
      position += mark.utf8.count
      return CToken(kind: .mark(mark), offset: start)
    }
    throw error(
      .unexpectedCharacter,
      first == UInt8(ascii: "#")
        ? "the preprocessor's directives are not read; write what they stand for"
        : "no declaration of C has this character here", at: start)
  }

  /// Longer marks come before their beginnings.
  private static let marks =
    ["...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"]
    + "()[]{}*^,;:=+-/%<>!~&|?.".map(String.init)

  private mutating func skipSpace() throws(TypeEncodingError) {
    while let first = byte() {
      switch (first, byte(1)) {
      case (0x20, _), (0x09...0x0D, _): position += 1
      case (UInt8(ascii: "/"), UInt8(ascii: "/")):
        while let other = byte(), other != UInt8(ascii: "\n") { position += 1 }
      case (UInt8(ascii: "/"), UInt8(ascii: "*")):
        let start = position
        position += 2
        while byte() != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/") {
          guard byte() != nil else {
            throw error(.unterminated, "the comment is not closed; add */", at: start)
          }
          position += 1
        }
        position += 2
      default: return
      }
    }
  }

  private mutating func word() -> String {
    let start = position
    while let other = byte(), Self.isLetter(other) || EncodingParser.isDigit(other) {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// An integer constant of base 8, 10, 16 or, as in GNU C, 2, with its suffix.
  private mutating func number() throws(TypeEncodingError) -> CConstant {
    let start = position
    let text = word()
    guard byte() != UInt8(ascii: ".") else {
      throw error(.malformedNumber, "a whole number must stand here", at: start)
    }
    let digits = text.lowercased().trimmingSuffix { "ul".contains($0) }
    let (base, tail): (Int, Substring) =
      switch digits.prefix(2) {
      case "0x": (16, digits.dropFirst(2))
      case "0b": (2, digits.dropFirst(2))
      default: digits.count > 1 && digits.first == "0" ? (8, digits.dropFirst()) : (10, digits)
      }
    if let value = UInt64(tail, radix: base) {
      let suffix = text.dropFirst(digits.count).lowercased()
      return CConstant(
        literal: Int128(value), isUnsigned: suffix.contains("u"), isLong: suffix.contains("l"),
        mayBeUnsigned: base != 10)
    }
    guard !tail.isEmpty, tail.allSatisfy({ $0.hexDigitValue.map { $0 < base } ?? false }) else {
      throw error(.malformedNumber, "\(text) is no whole number", at: start)
    }
    throw error(.numberTooLarge, "\(text) does not fit 64 bits", at: start)
  }

  /// A character constant of one ASCII character, without escapes.
  private mutating func character() throws(TypeEncodingError) -> CConstant {
    guard let value = byte(1), (0x20...0x7E).contains(value), value != UInt8(ascii: "\\"),
      byte(2) == UInt8(ascii: "'")
    else {
      throw error(
        .malformedNumber,
        "a constant of one character without escapes must stand here; write its number",
        at: position)
    }
    position += 3
    return CConstant(literal: Int128(value))
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}

extension String {
  /// The text before the characters at its end for which `isSuffix` is true.
  fileprivate func trimmingSuffix(_ isSuffix: (Character) -> Bool) -> Substring {
    guard let last = lastIndex(where: { !isSuffix($0) }) else { return "" }
    return self[...last]
  }
}
