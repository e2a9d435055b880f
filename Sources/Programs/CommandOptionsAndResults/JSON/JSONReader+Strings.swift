extension JSONReader {
  /// Parses a string into its text, without quotes and escapes.
  mutating func string() throws(Refusal) -> String {
    advance()
    var text = ""
    var start = position
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        text += try validText(start..<position)
        advance()
        return text
      case UInt8(ascii: "\\"):
        text += try validText(start..<position)
        text.unicodeScalars.append(try escape())
        start = position
      case 0..<0x20:
        throw refusal("a control character in a string is written as an escape")
      default: advance()
      }
    }
    throw refusal("the string has no end")
  }

  private func validText(_ range: Range<Int>) throws(Refusal) -> String {
    guard let text = text(range) else {
      throw refusal("the string is not UTF-8", at: range.lowerBound)
    }
    return text
  }

  /// Parses an escape into its character.
  private mutating func escape() throws(Refusal) -> UnicodeScalar {
    let start = position
    advance()
    let byte = next
    advance()
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint(start)
    default: throw refusal("there is no such escape", at: start)
    }
  }

  /// Parses `\uXXXX`, or a surrogate pair such as `\uD83D\uDE00`.
  private mutating func codePoint(_ start: Int) throws(Refusal) -> UnicodeScalar {
    let first = try hexadecimalDigits(start)
    if let scalar = UnicodeScalar(first) { return scalar }
    let half = "half of a surrogate pair stands alone"
    guard first < 0xDC00, skip("\\"), skip("u") else { throw refusal(half, at: start) }
    let second = try hexadecimalDigits(start)
    guard (0xDC00..<0xE000).contains(second),
      let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw refusal(half, at: start) }
    return scalar
  }

  private mutating func hexadecimalDigits(_ start: Int) throws(Refusal) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        throw refusal("four hexadecimal digits follow \\u", at: start)
      }
      number = number << 4 | UInt32(digit)
      advance()
    }
    return number
  }
}
