/// Reads type encodings and signatures from left to right, one byte at a time.
///
/// Every loop consumes a byte, and the nesting depth is limited, so time and stack stay bounded.
@safe struct EncodingParser: ~Copyable {
  /// The text's bytes, borrowed: a parser exists only inside `parse(_:_:)` and cannot be copied.
  private let bytes: UnsafeBufferPointer<UInt8>

  var position = 0
  var depth = 0

  /// Reads a text in place.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - body: Reads from the parser.
  /// - Returns: The result of `body`.
  /// - Throws: `empty`, `tooLong` and the errors of `body`.
  static func parse<Parsed>(
    _ text: String, _ body: (inout EncodingParser) throws(TypeEncodingError) -> Parsed
  ) throws(TypeEncodingError) -> Parsed {
    guard !text.isEmpty else {
      throw TypeEncodingError(
        code: .empty, message: "there is nothing to parse; write void as v", input: text, offset: 0)
    }
    let bytes = text.utf8.span
    guard bytes.count <= TypeEncoding.maximumLength else {
      throw TypeEncodingError(
        code: .tooLong,
        message: "an encoding has at most \(TypeEncoding.maximumLength) bytes, "
          + "this one \(bytes.count)", input: text, offset: TypeEncoding.maximumLength)
    }
    // SAFETY: the parser ends before the borrowed bytes do: `body` can neither store nor copy it.
    return unsafe try bytes.withUnsafeBufferPointer { (borrowed) throws(TypeEncodingError) in
      var parser = unsafe EncodingParser(bytes: borrowed)
      do throws(TypeEncodingError) { return try body(&parser) } catch {
        throw SpelledTypes.explained(error, text)
      }
    }
  }

  /// The byte at the current position, nil at the end.
  @inline(__always)
  var next: UInt8? { peek(at: position) }

  /// The byte at an offset, nil if it is out of range.
  @inline(__always)
  func peek(at offset: Int) -> UInt8? {
    // SAFETY: the bytes outlive the parser, and the offset is checked.
    unsafe UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) ? bytes[offset] : nil
  }

  /// Whether the byte at the current position is a digit.
  @inline(__always)
  var nextIsDigit: Bool { next.map(EncodingParser.isDigit) ?? false }

  /// Whether a byte is one of `0` to `9`.
  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte >= Ascii.zero && byte <= Ascii.nine }

  /// Consumes the next byte if it is the given one.
  @inline(__always)
  mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  /// Consumes the closing byte of a construct, or throws.
  @inline(__always)
  mutating func expect(_ byte: UInt8, closing construct: String) throws(TypeEncodingError) {
    guard !skip(byte) else { return }
    throw unclosed(construct, without: byte)
  }

  /// The error for a construct that is not closed here.
  @inline(never)
  private func unclosed(_ construct: String, without byte: UInt8) -> TypeEncodingError {
    let closer = "\(Unicode.Scalar(byte))"
    guard next != nil else {
      return error(.unexpectedEnd, "\(construct) is not closed; add \(closer)")
    }
    return error(.unexpectedCharacter, "\(construct) must be closed by \(closer) here")
  }

  /// Reads a number without sign or leading zeros.
  @inline(__always)
  mutating func number(_ subject: String) throws(TypeEncodingError) -> Int {
    let start = position
    var end = start
    var value = 0
    // Any number of up to 18 digits fits 64 bits; a longer one is read again.
    while let byte = peek(at: end), EncodingParser.isDigit(byte), end &- start < 19 {
      value = value &* 10 &+ Int(byte &- Ascii.zero)
      end &+= 1
    }
    let count = end &- start
    guard count > 0, count < 19, count == 1 || peek(at: start) != Ascii.zero else {
      return try unusualNumber(subject)
    }
    position = end
    return value
  }

  /// Reads a number of more digits, or throws.
  @inline(never)
  private mutating func unusualNumber(_ subject: String) throws(TypeEncodingError) -> Int {
    let start = position
    var value = 0
    while let byte = next, EncodingParser.isDigit(byte) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(byte - Ascii.zero))
      guard !overflow, !carry else {
        throw error(.numberTooLarge, "\(subject) does not fit 64 bits", at: start)
      }
      value = sum
      position += 1
    }
    guard position > start else {
      throw error(.malformedNumber, "\(subject) must stand here as a decimal number")
    }
    guard position == start + 1 || peek(at: start) != Ascii.zero else {
      throw error(.malformedNumber, "\(subject) has leading zeros; leave them out", at: start)
    }
    return value
  }

  /// Reads a list to its end.
  ///
  /// Most lists have up to four elements: these are in an array that is made with all of them,
  /// never grown.
  mutating func list<List: ParsedList>(_ list: List) throws(TypeEncodingError) -> [List.Element] {
    var list = list
    guard list.goesOn(in: self) else { return [] }
    let first = try list.element(&self)
    guard list.goesOn(in: self) else { return [consume first] }
    let second = try list.element(&self)
    guard list.goesOn(in: self) else { return [consume first, consume second] }
    let third = try list.element(&self)
    guard list.goesOn(in: self) else { return [consume first, consume second, consume third] }
    let fourth = try list.element(&self)
    var elements = [consume first, consume second, consume third, consume fourth]
    while list.goesOn(in: self) { elements.append(try list.element(&self)) }
    return elements
  }

  /// Reads a text between quotes; the opening quote is at the current position.
  mutating func quotedText(_ subject: String) throws(TypeEncodingError) -> String {
    let start = position + 1
    guard let end = firstQuote(from: start) else {
      throw error(.unterminated, "\(subject) has no closing quote", at: position)
    }
    position = end + 1
    return string(start..<end)
  }

  /// The text of a range whose ends are next to ASCII characters.
  func string(_ range: Range<Int>) -> String {
    // SAFETY: the bytes outlive the parser, the span checks the range, and the string copies it.
    unsafe bytes.span.extracting(range).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
  }

  /// The offset of the first quote at or after an offset, nil if there is none.
  func firstQuote(from offset: Int) -> Int? {
    var offset = offset
    while let byte = peek(at: offset) {
      if byte == Ascii.quote { return offset }
      offset += 1
    }
    return nil
  }

  /// Enters a nested type; the caller decrements `depth` on success.
  @inline(__always)
  mutating func descend() throws(TypeEncodingError) {
    depth &+= 1
    guard depth <= TypeEncoding.maximumDepth else {
      throw error(
        .tooDeep, "types nest at most \(TypeEncoding.maximumDepth) levels deep; name the type")
    }
  }

  /// An error at an offset, by default the current position.
  @inline(never)
  func error(
    _ code: ErrorCode, _ message: String, at offset: Int? = nil
  )
    -> TypeEncodingError
  {
    // SAFETY: the count is that of the borrowed bytes.
    let input = unsafe string(0..<bytes.count)
    return TypeEncodingError(
      code: code, message: message, input: input, offset: offset ?? position)
  }
}

/// A kind of list in an encoding, with what the elements read so far say about the next one.
///
/// A type rather than two closures, so that a list's parser is specialised for it.
protocol ParsedList {
  associatedtype Element

  /// Whether there is another element at the parser's position.
  func goesOn(in parser: borrowing EncodingParser) -> Bool

  /// Reads the next element.
  mutating func element(_ parser: inout EncodingParser) throws(TypeEncodingError) -> Element
}

/// The punctuation of encodings.
enum Ascii {
  static let exclamation: UInt8 = 0x21
  static let quote: UInt8 = 0x22
  static let plus: UInt8 = 0x2B
  static let comma: UInt8 = 0x2C
  static let minus: UInt8 = 0x2D
  static let openParenthesis: UInt8 = 0x28
  static let closeParenthesis: UInt8 = 0x29
  static let zero: UInt8 = 0x30
  static let nine: UInt8 = 0x39
  static let less: UInt8 = 0x3C
  static let equals: UInt8 = 0x3D
  static let greater: UInt8 = 0x3E
  static let question: UInt8 = 0x3F
  static let at: UInt8 = 0x40
  static let openBracket: UInt8 = 0x5B
  static let closeBracket: UInt8 = 0x5D
  static let caret: UInt8 = 0x5E
  static let b: UInt8 = 0x62
  static let j: UInt8 = 0x6A
  static let openBrace: UInt8 = 0x7B
  static let closeBrace: UInt8 = 0x7D
}
