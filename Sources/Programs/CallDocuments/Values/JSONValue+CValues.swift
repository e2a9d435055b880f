import CommandOptionsAndResults

// The forms in which C values are written, which every parser of JSON reads back exactly.
extension JSONValue {
  /// An integer: a number from -2^53 to 2^53, which every parser reads exactly, otherwise a string.
  static func exact(_ value: some FixedWidthInteger) -> JSONValue {
    let limit: UInt64 = 1 << 53
    return value.magnitude <= limit ? .number("\(value)") : .string("\(value)")
  }

  /// A 128-bit integer: always a string, so that there is only one form.
  static func wide(_ value: some FixedWidthInteger) -> JSONValue { .string("\(value)") }

  /// A floating-point number with the fewest digits that read back as the same number.
  static func exact(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSONValue {
    if value.isNaN { return .string("nan") }
    if value.isInfinite { return .string(value < 0 ? "-inf" : "inf") }
    let text = value.description
    return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// A pointer: `"0x…"`, or null.
  static func address(_ bits: UInt) -> JSONValue {
    bits == 0 ? .null : .string("0x" + String(bits, radix: 16))
  }

  /// Bytes in memory order: `{"bytes":"hex"}`.
  static func bytes(_ bytes: [UInt8]) -> JSONValue {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return .object([("bytes", .string(digits))])
  }
}
