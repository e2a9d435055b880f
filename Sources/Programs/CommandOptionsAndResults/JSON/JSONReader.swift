/// A strict parser for JSON (RFC 8259), which preserves the text of every number.
///
/// Beyond the grammar it refuses objects with a name twice, escapes of half a surrogate pair, text
/// that is not UTF-8, and nesting deeper than `maximumDepth`.
package struct JSONReader {
  /// The deepest nesting of arrays and objects.
  static let maximumDepth = 512

  /// Why a text is not JSON.
  package struct Refusal: Error {
    package let message: String

    /// The offset of the faulty byte.
    package let offset: Int
  }

  private let bytes: [UInt8]
  private(set) var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Parses a text that is one JSON value, with white space around it.
  ///
  /// - Throws: The first fault.
  package static func value(of bytes: [UInt8]) throws(Refusal) -> JSONValue {
    var reader = JSONReader(bytes)
    let value = try reader.value(depth: 0)
    reader.skipWhiteSpace()
    guard reader.next == nil else {
      throw reader.refusal("one JSON value is expected; text follows it")
    }
    return value
  }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func advance() { position += 1 }

  func refusal(_ message: String, at offset: Int? = nil) -> Refusal {
    Refusal(message: message, offset: offset ?? position)
  }

  /// The text between two offsets.
  func text(_ range: Range<Int>) -> String? { String(validating: bytes[range], as: UTF8.self) }

  /// Skips a character, if it is the next one.
  ///
  /// - Returns: Whether it is.
  @discardableResult
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    advance()
    return true
  }

  mutating func skipWhiteSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { advance() }
  }

  private mutating func value(depth: Int) throws(Refusal) -> JSONValue {
    skipWhiteSpace()
    switch next {
    case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case nil: throw refusal("the text ends where a JSON value is expected")
    case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte):
      return .number(try number())
    default: throw refusal("no JSON value begins with this character")
    }
  }

  private mutating func literal(_ word: String, _ value: JSONValue) throws(Refusal) -> JSONValue {
    let start = position
    for letter in word.unicodeScalars {
      guard skip(letter) else { throw refusal("\(word) is expected here", at: start) }
    }
    return value
  }

  private mutating func elements(depth: Int) throws(Refusal) -> [JSONValue] {
    try open(depth)
    var elements: [JSONValue] = []
    skipWhiteSpace()
    if skip("]") { return elements }
    repeat {
      elements.append(try value(depth: depth))
    } while try continues(until: "]")
    return elements
  }

  private mutating func members(depth: Int) throws(Refusal) -> [JSONValue.Member] {
    try open(depth)
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    skipWhiteSpace()
    if skip("}") { return members }
    repeat {
      skipWhiteSpace()
      guard next == UInt8(ascii: "\"") else { throw refusal("a name in quotes is expected") }
      let start = position
      let name = try string()
      guard names.insert(name).inserted else {
        throw refusal("the object has this name twice", at: start)
      }
      skipWhiteSpace()
      guard skip(":") else { throw refusal("a colon is expected") }
      members.append((name, try value(depth: depth)))
    } while try continues(until: "}")
    return members
  }

  /// Consumes the bracket that opens an array or object.
  private mutating func open(_ depth: Int) throws(Refusal) {
    guard depth <= Self.maximumDepth else {
      throw refusal("arrays and objects are nested deeper than \(Self.maximumDepth)")
    }
    advance()
  }

  /// Consumes a comma or the closing bracket, and returns whether it was a comma.
  private mutating func continues(until bracket: Unicode.Scalar) throws(Refusal) -> Bool {
    skipWhiteSpace()
    if skip(",") { return true }
    guard skip(bracket) else { throw refusal("a comma or \(bracket) is expected") }
    return false
  }

  /// A number's text: `-`, digits without leading zero, a fraction, an exponent.
  private mutating func number() throws(Refusal) -> String {
    let start = position
    skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { skip("-") }
      try digits()
    }
    if let byte = next, Self.isDigit(byte) {
      throw refusal("a number has no leading zeros")
    }
    return text(start..<position) ?? ""
  }

  private mutating func digits() throws(Refusal) {
    let start = position
    while let byte = next, Self.isDigit(byte) { advance() }
    guard position > start else { throw refusal("a digit is expected") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
