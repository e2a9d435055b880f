extension TypeEncoding: CustomStringConvertible {
  /// The encoding's text; for a parsed encoding the text it was parsed from.
  public var description: String {
    var printer = EncodingPrinter()
    printer.write(self)
    return printer.text
  }
}

extension MethodSignature: CustomStringConvertible {
  /// The signature's text; for a parsed signature the text it was parsed from.
  public var description: String {
    var printer = EncodingPrinter()
    printer.write(self)
    return printer.text
  }
}

/// Writes encodings and signatures as text.
private struct EncodingPrinter {
  private var bytes: [UInt8] = []

  /// Reserves enough memory for most signatures.
  init() { bytes.reserveCapacity(96) }

  /// The text written so far.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends the qualifiers and the type.
  mutating func write(_ encoding: TypeEncoding) {
    for qualifier in encoding.qualifiers { bytes.append(qualifier.rawValue) }
    write(encoding.type)
  }

  /// Appends the result, the frame size and the arguments.
  mutating func write(_ signature: MethodSignature) {
    write(signature.result)
    write(signature.frameSize)
    for argument in signature.arguments {
      write(argument.encoding)
      write(argument.frameOffset)
    }
  }

  /// Appends the register mark, the sign and the number, if there is one.
  private mutating func write(_ offset: MethodSignature.FrameOffset?) {
    guard let offset else { return }
    if offset.isMarkedAsRegister { bytes.append(Ascii.plus) }
    if offset.isNegativeZero { bytes.append(Ascii.minus) }
    write(offset.bytes)
  }

  /// Appends the type without qualifiers.
  private mutating func write(_ type: EncodedType) {
    switch type {
    case .primitive(let primitive): bytes.append(primitive.rawValue)
    case .object(let className):
      bytes.append(Ascii.at)
      writeQuoted(className)
    case .block(let signature):
      bytes.append(Ascii.at)
      bytes.append(Ascii.question)
      guard let signature else { return }
      bytes.append(Ascii.less)
      write(signature)
      bytes.append(Ascii.greater)
    case .pointer(let pointee):
      bytes.append(Ascii.caret)
      write(pointee)
    case .array(let count, let element):
      bytes.append(Ascii.openBracket)
      write(count)
      write(element)
      bytes.append(Ascii.closeBracket)
    case .structure(let record):
      write(record, between: Ascii.openBrace, and: Ascii.closeBrace)
    case .union(let record):
      write(record, between: Ascii.openParenthesis, and: Ascii.closeParenthesis)
    case .bitField(let bitField): write(bitField)
    case .complex(let part):
      bytes.append(Ascii.j)
      bytes.append(part.rawValue)
    case .vector(let count, let element): write(vector: count, of: element)
    case .unknown: bytes.append(Ascii.question)
    case .vanished: return
    }
  }

  /// Appends the bytes of the elements, the alignment and the type of the elements.
  private mutating func write(vector count: Int, of element: PrimitiveType) {
    bytes += "![".utf8
    write(((try? element.layout().size) ?? 0) &* count)
    bytes.append(Ascii.comma)
    write((try? LayoutCalculation.layout(ofVector: count, of: element).alignment) ?? 0)
    bytes += [element.rawValue, Ascii.closeBracket]
  }

  /// Appends the tag and fields between brackets.
  private mutating func write(
    _ record: RecordEncoding, between opener: UInt8, and closer: UInt8
  ) {
    bytes.append(opener)
    bytes.append(contentsOf: record.tag.utf8)
    if let fields = record.fields {
      bytes.append(Ascii.equals)
      for field in fields {
        writeQuoted(field.name)
        write(field.encoding)
      }
    }
    bytes.append(closer)
  }

  /// Appends the width, in GNU's notation with the position and the declared type.
  private mutating func write(_ bitField: BitFieldEncoding) {
    bytes.append(Ascii.b)
    if let placement = bitField.placement {
      write(placement.bitOffset)
      bytes.append(placement.base.rawValue)
    }
    write(bitField.width)
  }

  /// Appends a name between quotes, if there is one.
  private mutating func writeQuoted(_ name: String?) {
    guard let name else { return }
    bytes.append(Ascii.quote)
    bytes.append(contentsOf: name.utf8)
    bytes.append(Ascii.quote)
  }

  /// Appends a number with its sign.
  private mutating func write(_ number: Int) {
    if number < 0 { bytes.append(Ascii.minus) }
    writeDigits(of: number.magnitude)
  }

  /// Appends a number's digits, the most significant one first.
  private mutating func writeDigits(of number: UInt) {
    if number >= 10 { writeDigits(of: number / 10) }
    bytes.append(Ascii.zero + UInt8(number % 10))
  }
}
