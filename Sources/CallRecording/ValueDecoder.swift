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
  /// - Parameters:
  ///   - encoding: Its type.
  ///   - layout: The type's layout.
  ///   - isArgument: Whether an array is a pointer.
  /// - Returns: The value.
  /// - Throws: `truncated`, `invalidValue`, `tooManyParts`.
  mutating func value(
    _ encoding: TypeEncoding, _ layout: TypeLayout, isArgument: Bool = false
  ) throws(RecordingError) -> CValue {
    try spend(1)
    return try content(encoding, layout, isArgument: isArgument)
  }

  /// - Throws: `tooManyParts`.
  private mutating func spend(_ parts: Int) throws(RecordingError) {
    partsLeft -= parts
    guard partsLeft >= 0 else {
      throw RecordingError(
        .tooManyParts, "the values have far more parts than the recording has bytes",
        at: reader.offset)
    }
  }

  private mutating func content(
    _ encoding: TypeEncoding, _ layout: TypeLayout, isArgument: Bool
  ) throws(RecordingError) -> CValue {
    switch encoding.type {
    case .structure(let record): return try structure(record, layout)
    case .array(let count, let element) where !isArgument: return try array(count, element)
    case .union:
      // Asking the members takes time for each, and none of the file's bytes.
      try spend(encoding.partCount)
      if !encoding.holdsRawPointer() {
        return .bytes(Array(try reader.take(layout.size)))
      }
    default: break
    }
    switch encoding.kind {
    case .bool:
      let place = reader.offset
      let byte = try reader.integer(UInt8.self)
      guard byte < 2 else {
        throw RecordingError(.invalidValue, "\(byte) is no truth value", at: place)
      }
      return .bool(byte == 1)
    case .int8, .int16, .int32, .int64, .int128: return try signed(layout.size)
    case .uint8, .uint16, .uint32, .uint64, .uint128: return try unsigned(layout.size)
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
      return try reference()
    case .void, .struct, .bitField, .unknown:
      throw RecordingError(
        .invalidValue, "a value of type \(encoding) cannot be recorded", at: reader.offset)
    }
  }

  private mutating func structure(
    _ record: RecordEncoding, _ layout: TypeLayout
  ) throws(RecordingError) -> CValue {
    var members: [CValue] = []
    for (field, placed) in zip(record.fields ?? [], layout.fields) {
      if case .bitField(let bits) = field.encoding.type {
        guard bits.width > 0 else { continue }
        members.append(try bitField(bits))
      } else if let layout = placed.layout {
        members.append(try value(field.encoding, layout))
      } else {
        throw RecordingError(
          .invalidValue, "the type of \(field.encoding) is not known", at: reader.offset)
      }
    }
    return .structure(members)
  }

  private mutating func array(
    _ count: Int, _ element: TypeEncoding
  ) throws(RecordingError) -> CValue {
    guard let layout = try? element.layout() else {
      throw RecordingError(
        .invalidValue, "the type of \(element) is not known", at: reader.offset)
    }
    var elements: [CValue] = []
    // Empty elements hold nothing, however many there are; their layout took its time all the same.
    guard count > 0, layout.size > 0 else {
      try spend(element.partCount)
      return .array(elements)
    }
    for _ in 0..<count { elements.append(try value(element, layout)) }
    return .array(elements)
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

  private mutating func reference() throws(RecordingError) -> CValue {
    let place = reader.offset
    switch RecordingFormat.Reference(rawValue: try reader.integer()) {
    case .null: return .pointer(0)
    case .described: return .opaque(OpaqueValue(text: try reader.text().onOneLine))
    case .encoded: return .opaque(OpaqueValue(encoded: Array(try reader.counted())))
    case nil:
      throw RecordingError(.invalidValue, "a reference is of no known sort", at: place)
    }
  }
}

extension TypeEncoding {
  /// How many types the type consists of, behind no pointer.
  fileprivate var partCount: Int {
    switch type {
    case .array(_, let element): 1 + element.partCount
    case .structure(let record), .union(let record):
      (record.fields ?? []).reduce(1) { $0 + $1.encoding.partCount }
    default: 1
    }
  }
}
