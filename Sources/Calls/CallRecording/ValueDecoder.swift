internal import Invocations
internal import TypeEncodings

/// Reads values of known types, as `ValueEncoder` writes them.
struct ValueDecoder {
  /// Where the values are.
  var reader: ByteReader<RecordingError>

  /// The text of a C string that could not be read when it was recorded.
  static let unreadable = "unreadable"

  /// How many more parts the recording's values may have: empty members cost a hostile file
  /// nothing.
  var partsLeft: Int

  /// Reads one value.
  ///
  /// - Parameter shape: Its shape.
  /// - Returns: The value.
  /// - Throws: `truncated`, `invalidValue`, `tooManyParts`.
  mutating func value(_ shape: ValueShape) throws(RecordingError) -> CValue {
    partsLeft -= 1
    guard partsLeft >= 0 else {
      throw RecordingError(
        .tooManyParts, "the values have far more parts than the recording has bytes",
        at: reader.offset)
    }
    switch shape.content {
    case .structure(let members): return .structure(try values(of: members))
    case .array(let count, let element):
      return .array(try values(of: repeatElement(element, count: count)))
    case .bytes(let count): return .bytes(Array(try reader.take(count)))
    case .bits(let bits): return try bitField(bits)
    case .single(let encoding, let size): return try single(encoding, size)
    case .unknown(let encoding):
      throw RecordingError(
        .invalidValue, "the type of \(encoding) is not known", at: reader.offset)
    }
  }

  private mutating func values(
    of shapes: some Sequence<ValueShape>
  ) throws(RecordingError) -> [CValue] {
    var values: [CValue] = []
    for shape in shapes { values.append(try value(shape)) }
    return values
  }

  private mutating func single(
    _ encoding: TypeEncoding, _ size: Int
  ) throws(RecordingError) -> CValue {
    switch encoding.kind {
    case .bool:
      let place = reader.offset
      let byte = try reader.integer(UInt8.self)
      guard byte < 2 else {
        throw RecordingError(.invalidValue, "\(byte) is no truth value", at: place)
      }
      return .bool(byte == 1)
    case .int8, .int16, .int32, .int64, .int128: return try signed(size)
    case .uint8, .uint16, .uint32, .uint64, .uint128: return try unsigned(size)
    case .float: return .float(Float(bitPattern: try reader.integer()))
    case .double: return .double(Double(bitPattern: try reader.integer()))
    case .longDouble: return .longDouble(try longDouble())
    case .complexFloat:
      let real = Float(bitPattern: try reader.integer())
      let imaginary = Float(bitPattern: try reader.integer())
      return .complex(real: LongDouble(real), imaginary: LongDouble(imaginary))
    case .complexDouble:
      let real = Double(bitPattern: try reader.integer())
      let imaginary = Double(bitPattern: try reader.integer())
      return .complex(real: LongDouble(real), imaginary: LongDouble(imaginary))
    case .complexLongDouble:
      return .complex(real: try longDouble(), imaginary: try longDouble())
    case .cString: return try cString()
    case .pointer, .functionPointer, .object, .class, .selector, .block, .array, .union:
      return try reference(isText: encoding.swiftValueTypeName != nil)
    case .void, .struct, .bitField, .unknown:
      throw RecordingError(
        .invalidValue, "a value of type \(encoding) cannot be recorded", at: reader.offset)
    }
  }

  private mutating func signed(_ size: Int) throws(RecordingError) -> CValue {
    let unused = Int128(128 - size * 8)
    let raised = Int128(bitPattern: try reader.wide(size)) << unused
    return .integer(raised >> unused)
  }

  private mutating func unsigned(_ size: Int) throws(RecordingError) -> CValue {
    let value = try reader.wide(size)
    return Int128(exactly: value).map { .integer($0) } ?? .unsignedInteger(value)
  }

  private mutating func bitField(
    _ bits: BitFieldEncoding
  ) throws(RecordingError) -> CValue {
    let size = (bits.width + 7) / 8
    guard size <= 16 else {
      throw RecordingError(
        .invalidValue, "a bit-field has no \(bits.width) bits", at: reader.offset)
    }
    switch bits.placement?.base {
    case .int8, .int16, .int32, .long32, .int64, .int128: return try signed(size)
    // As bit-fields are read where their type is not known, and beyond what a signed integer holds.
    default: return .integer(Int128(truncatingIfNeeded: try reader.wide(size)))
    }
  }

  private mutating func longDouble() throws(RecordingError) -> LongDouble {
    let bytes = Array(try reader.take(LongDoubleFormat.byteCount))
    // SAFETY: the memory has all bytes of a `long double`, of which each pattern of bits is one.
    let number = unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { memory in
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe memory.copyBytes(from: bytes)
      return unsafe LongDoubleFormat.load(UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped))
    }
    guard number.isExact else {
      throw RecordingError(
        .invalidValue, "the long double has more digits than \(LongDouble.self) here",
        at: reader.offset)
    }
    return number.value
  }

  private mutating func cString() throws(RecordingError) -> CValue {
    let count = try reader.integer(UInt32.self)
    switch count {
    case ValueFormat.nullString: return .cString(nil)
    case ValueFormat.unreadableString: return .opaque(OpaqueValue(text: Self.unreadable))
    default: break
    }
    let place = reader.offset
    let bytes = try reader.take(Int(count))
    guard !bytes.contains(0) else {
      throw RecordingError(.invalidValue, "a C string has a zero byte inside", at: place)
    }
    return
      String(validating: bytes, as: UTF8.self).map { .cString($0) } ?? .bytes(Array(bytes))
  }

  private mutating func reference(isText: Bool) throws(RecordingError) -> CValue {
    let place = reader.offset
    switch RecordingFormat.Reference(rawValue: try reader.integer()) {
    case .null: return .pointer(0)
    case .described: return .opaque(OpaqueValue(text: try reader.text().onOneLine))
    case .encoded:
      let bytes = Array(try reader.counted())
      let text = isText ? String(validating: bytes, as: UTF8.self) : nil
      return .opaque(OpaqueValue(encoded: bytes, text: text.map { "\"\($0.onOneLine)\"" }))
    case nil:
      throw RecordingError(.invalidValue, "a reference is of no known sort", at: place)
    }
  }
}
