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
  mutating func append(_ field: UInt64, _ number: UInt64) {
    append(tag: field, .varint)
    append(varint: number)
  }

  /// Appends a number that may be negative, as streams may say of what never is.
  mutating func append(_ field: UInt64, signed number: Int32) {
    append(field, UInt64(bitPattern: Int64(number)))
  }

  /// Appends a text.
  mutating func append(_ field: UInt64, _ text: String) {
    append(tag: field, .lengthDelimited)
    append(varint: UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// Appends a message whose fields `fill` appends.
  mutating func append(_ field: UInt64, _ fill: (inout ProtobufWriter) -> Void) {
    append(tag: field, .lengthDelimited)
    // Most messages are shorter than 128 bytes: then their length takes one byte.
    let place = bytes.count
    bytes.append(0)
    fill(&self)
    var length = bytes.count - place - 1
    var rest: [UInt8] = []
    while length >= 0x80 {
      rest.append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    rest.append(UInt8(length))
    bytes[place] = rest[0]
    if rest.count > 1 { bytes.insert(contentsOf: rest[1...], at: place + 1) }
  }

  private mutating func append(tag field: UInt64, _ type: WireType) {
    append(varint: field << 3 | type.rawValue)
  }

  private mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
