/// Bytes in the wire format of Protocol Buffers
/// (<https://protobuf.dev/programming-guides/encoding/>).
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  private enum WireType: UInt64 {
    case varint = 0
    case lengthDelimited = 2
  }

  /// Removes the bytes but keeps their memory.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  /// Appends a number, as one to ten bytes.
  mutating func append(_ field: some RawRepresentable<UInt64>, _ number: UInt64) {
    append(tag: field, .varint)
    bytes.append(varint: number)
  }

  /// Appends a number that may be negative, as streams may say of what never is.
  mutating func append(_ field: some RawRepresentable<UInt64>, signed number: Int32) {
    append(field, UInt64(bitPattern: Int64(number)))
  }

  /// Appends a text.
  mutating func append(_ field: some RawRepresentable<UInt64>, _ text: String) {
    append(tag: field, .lengthDelimited)
    bytes.append(varint: UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// Appends a message whose fields `fill` appends.
  mutating func append(
    _ field: some RawRepresentable<UInt64>, _ fill: (inout ProtobufWriter) -> Void
  ) {
    append(tag: field, .lengthDelimited)
    // Most messages are shorter than 128 bytes: then their length takes one byte.
    let place = bytes.count
    bytes.append(0)
    fill(&self)
    var length: [UInt8] = []
    length.append(varint: UInt64(bytes.count - place - 1))
    bytes[place] = length[0]
    if length.count > 1 { bytes.insert(contentsOf: length[1...], at: place + 1) }
  }

  private mutating func append(tag field: some RawRepresentable<UInt64>, _ type: WireType) {
    bytes.append(varint: field.rawValue << 3 | type.rawValue)
  }
}

extension [UInt8] {
  /// Appends a number, seven bits in a byte, the lowest first; bit 7 says that there are more.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
