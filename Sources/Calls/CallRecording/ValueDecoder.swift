internal import Invocations
internal import TypeEncodings

/// Reads values of known types, as `ValueEncoder` writes them.
struct ValueDecoder {
  /// The bytes of the values.
  var reader: ByteReader<RecordingError>

  /// The text of a C string that could not be read when it was recorded.
  static let unreadable = "unreadable"

  /// How many more parts the recording's values may have: empty members cost a hostile file
  /// nothing.
  var partsLeft: Int

  /// Reads one value.
  ///
  /// - Parameters:
  ///   - encoding: The value's type.
  ///   - layout: The type's layout; nil if that is not known.
  ///   - isArgument: Whether an array is a pointer.
  /// - Returns: The value.
  /// - Throws: `truncated`, `invalidValue`, `tooManyParts`.
  mutating func value(
    _ encoding: TypeEncoding, _ layout: TypeLayout?, isArgument: Bool = false
  ) throws(RecordingError) -> CValue {
    try countPart()
    guard let layout else {
      throw RecordingError(
        .invalidValue, "the type of \(encoding) is not known", at: reader.offset)
    }
    switch encoding.type {
    case .structure(let record): return .structure(try members(of: record, layout))
    case .array where !isArgument, .vector: return .array(try elements(of: encoding))
    case .union where !encoding.holdsRawPointer():
      return .bytes(Array(try reader.take(layout.size)))
    default: return try single(encoding, layout.size)
    }
  }

  private mutating func countPart() throws(RecordingError) {
    partsLeft -= 1
    guard partsLeft >= 0 else {
      throw RecordingError(
        .tooManyParts, "the values have far more parts than the recording has bytes",
        at: reader.offset)
    }
  }

  private mutating func elements(of list: TypeEncoding) throws(RecordingError) -> [CValue] {
    guard let (count, element) = list.listedElements else { return [] }
    let layout = try? element.layout()
    var elements: [CValue] = []
    // Empty elements hold nothing, however many there are.
    for _ in 0..<(layout?.size == 0 ? 0 : count) {
      elements.append(try value(element, layout))
    }
    return elements
  }

  private mutating func members(
    of record: RecordEncoding, _ layout: TypeLayout
  ) throws(RecordingError) -> [CValue] {
    var members: [CValue] = []
    for (field, place) in zip(record.fields ?? [], layout.fields) {
      if case .bitField(let bits) = field.encoding.type {
        try countPart()
        if bits.width > 0 { members.append(try bitField(bits)) }
      } else {
        members.append(try value(field.encoding, place.layout))
      }
    }
    return members
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
    case .longDouble: return .longDouble(try longDouble())
    case .complexLongDouble:
      return .complex(real: try longDouble(), imaginary: try longDouble())
    case .cString: return try cString()
    case .pointer, .functionPointer, .object, .class, .selector, .block, .array, .union:
      return try reference(isText: encoding.swiftValueTypeName != nil)
    case .void, .struct, .vector, .bitField, .unknown:
      throw RecordingError(
        .invalidValue, "a value of type \(encoding) cannot be recorded", at: reader.offset)
    default:
      // SAFETY: the memory has all bytes of a number, of which each pattern of bits is one.
      return try unsafe withMemory(of: size) { memory throws(InvocationError) in
        unsafe try CValue(at: memory, as: encoding)
      }
    }
  }

  private mutating func bitField(_ bits: BitFieldEncoding) throws(RecordingError) -> CValue {
    guard bits.width <= 128 else {
      throw RecordingError(
        .invalidValue, "a bit-field has no \(bits.width) bits", at: reader.offset)
    }
    // SAFETY: the memory has all bits of the bit-field.
    return try unsafe withMemory(of: (bits.width + 7) / 8) {
      .integer(unsafe BitFieldSlot(bits, at: $0, bitOffset: 0).value)
    }
  }

  private mutating func longDouble() throws(RecordingError) -> LongDouble {
    // SAFETY: the memory has all bytes of a `long double`, of which each pattern of bits is one.
    let number = try unsafe withMemory(of: LongDoubleFormat.byteCount) {
      unsafe LongDoubleFormat.load(UnsafeRawPointer($0))
    }
    guard number.isExact else {
      throw RecordingError(
        .invalidValue, "the long double has more digits than \(LongDouble.self) here",
        at: reader.offset)
    }
    return number.value
  }

  /// Calls a closure with the next bytes, in memory that is aligned for every number.
  private mutating func withMemory<Value>(
    of size: Int, _ body: (UnsafeMutableRawPointer) throws(InvocationError) -> Value
  ) throws(RecordingError) -> Value {
    let bytes = Array(try reader.take(size))
    do throws(InvocationError) {
      // SAFETY: the memory has room for the bytes, and is zero behind them.
      return try unsafe withUnsafeTemporaryAllocation(
        byteCount: max(size, 16), alignment: 16
      ) { memory in
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe memory.copyBytes(from: bytes)
        let start = unsafe memory.baseAddress.unsafelyUnwrapped
        return Result { () throws(InvocationError) in unsafe try body(start) }
      }.get()
    } catch {
      throw RecordingError(.invalidValue, error.message, at: reader.offset)
    }
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
