/// Bytes that are read from the front, with their place in the whole.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>

  /// Where the next byte is.
  private(set) var offset: Int

  /// Reads the bytes, which are counted from the start of what they are a slice of.
  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - offset }

  /// Reads bytes.
  ///
  /// - Throws: `truncated`.
  mutating func take(_ count: Int) throws(RecordingError) -> ArraySlice<UInt8> {
    guard count <= remaining else {
      throw RecordingError(
        .truncated, "\(count) bytes are announced, \(remaining) are left", at: offset)
    }
    defer { offset += count }
    return bytes[offset..<(offset + count)]
  }

  /// Reads an integer, the lowest byte first.
  ///
  /// - Throws: `truncated`.
  mutating func integer<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(RecordingError) -> Value {
    Value(truncatingIfNeeded: try wide(Value.bitWidth / 8))
  }

  /// Reads an integer of up to sixteen bytes, the lowest first.
  ///
  /// - Throws: `truncated`.
  mutating func wide(_ count: Int) throws(RecordingError) -> UInt128 {
    var value: UInt128 = 0
    for byte in try take(count).reversed() { value = value << 8 | UInt128(byte) }
    return value
  }

  /// Reads bytes led by their number.
  ///
  /// - Throws: `truncated`.
  mutating func counted() throws(RecordingError) -> ArraySlice<UInt8> {
    try take(Int(try integer(UInt32.self)))
  }

  /// Reads text led by the number of its bytes.
  ///
  /// - Throws: `truncated`, `invalidValue`.
  mutating func text() throws(RecordingError) -> String {
    let start = offset
    guard let text = String(validating: try counted(), as: UTF8.self) else {
      throw RecordingError(.invalidValue, "the text is not UTF-8", at: start)
    }
    return text
  }
}
