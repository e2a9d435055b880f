#if Database
internal import Invocations

/// The encoding of values as bytes, each after a byte for its kind: numbers by their bits, text in
/// UTF-8, records by their members.
///
/// Two values have the same bytes only if they are the same.
enum CodedValue {
  private enum Kind: UInt8 {
    case void, bool, integer, unsignedInteger, float, double, longDouble, complex, null, cString
    case bytes, structure, array, nothing, object
  }

  /// How deep records may be in each other.
  private static let maximumDepth = 64

  /// Encodes a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encodeObject: Encodes an object, or returns nil.
  /// - Returns: The bytes; nil if the value, or a part of it, has a meaning in this process only.
  static func encode(
    _ value: CValue, _ encodeObject: (AnyObject) throws -> [UInt8]?
  ) rethrows -> [UInt8]? {
    var bytes: [UInt8] = []
    return try append(value, to: &bytes, 0, encodeObject) ? bytes : nil
  }

  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that `encode` returned; other bytes do no harm.
  ///   - decodeObject: Decodes an object, or returns nil.
  /// - Returns: The value.
  /// - Throws: `Damage` for other bytes, and what `decodeObject` throws.
  static func decode(
    _ bytes: [UInt8], _ decodeObject: ([UInt8]) throws -> AnyObject?
  ) throws -> CValue {
    var reader = ByteReader<Damage>(bytes[...])
    let value = try value(&reader, 0, decodeObject)
    guard reader.remaining == 0 else { throw Damage() }
    return value
  }

  private static func append(
    _ value: CValue, to bytes: inout [UInt8], _ depth: Int,
    _ encodeObject: (AnyObject) throws -> [UInt8]?
  ) rethrows -> Bool {
    func add(_ kind: Kind) { bytes.append(kind.rawValue) }
    func add(_ kind: Kind, _ number: some FixedWidthInteger & BitwiseCopyable) {
      add(kind)
      bytes.append(littleEndian: number)
    }
    switch value {
    case .void: add(.void)
    case .bool(let value): add(.bool, value ? 1 : 0 as UInt8)
    case .integer(let value): add(.integer, value)
    case .unsignedInteger(let value): add(.unsignedInteger, value)
    case .float(let value): add(.float, value.bitPattern)
    case .double(let value): add(.double, value.bitPattern)
    case .longDouble(let value):
      add(.longDouble)
      append(value, to: &bytes)
    case .complex(let real, let imaginary):
      add(.complex)
      append(real, to: &bytes)
      append(imaginary, to: &bytes)
    case .cString(nil): add(.null)
    case .cString(let text?):
      add(.cString)
      append(Array(text.utf8), to: &bytes)
    case .bytes(let content):
      add(.bytes)
      append(content, to: &bytes)
    case .structure(let parts), .array(let parts):
      guard depth < maximumDepth else { return false }
      let kind: Kind = if case .array = value { .array } else { .structure }
      add(kind, UInt64(parts.count))
      for part in parts {
        guard try append(part, to: &bytes, depth + 1, encodeObject) else { return false }
      }
    case .object(nil): add(.nothing)
    case .object(let object?):
      guard let content = try encodeObject(object) else { return false }
      add(.object)
      append(content, to: &bytes)
    case .pointer, .class, .block, .member, .opaque: return false
    }
    return true
  }

  private static func append(_ content: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(littleEndian: UInt64(content.count))
    bytes += content
  }

  /// Appends a number by its parts, which are the same in every format, also those of a NaN.
  private static func append(_ number: LongDouble, to bytes: inout [UInt8]) {
    bytes.append(number.sign == .minus ? 1 : 0)
    bytes.append(littleEndian: UInt64(number.exponentBitPattern))
    bytes.append(littleEndian: UInt64(number.significandBitPattern))
  }

  private static func value(
    _ reader: inout ByteReader<Damage>, _ depth: Int,
    _ decodeObject: ([UInt8]) throws -> AnyObject?
  ) throws -> CValue {
    guard let kind = Kind(rawValue: try reader.integer()) else { throw Damage() }
    switch kind {
    case .void: return .void
    case .bool:
      let byte = try reader.integer(UInt8.self)
      guard byte < 2 else { throw Damage() }
      return .bool(byte == 1)
    case .integer: return .integer(try reader.integer())
    case .unsignedInteger: return .unsignedInteger(try reader.integer())
    case .float: return .float(Float(bitPattern: try reader.integer()))
    case .double: return .double(Double(bitPattern: try reader.integer()))
    case .longDouble: return .longDouble(try longDouble(&reader))
    case .complex:
      return .complex(real: try longDouble(&reader), imaginary: try longDouble(&reader))
    case .null: return .cString(nil)
    case .cString:
      guard let text = String(validating: try content(&reader), as: UTF8.self) else {
        throw Damage()
      }
      return .cString(text)
    case .bytes: return .bytes(try content(&reader))
    case .structure: return .structure(try parts(&reader, depth, decodeObject))
    case .array: return .array(try parts(&reader, depth, decodeObject))
    case .nothing: return .object(nil)
    case .object:
      guard let object = try decodeObject(try content(&reader)) else { throw Damage() }
      return .object(object)
    }
  }

  private static func parts(
    _ reader: inout ByteReader<Damage>, _ depth: Int,
    _ decodeObject: ([UInt8]) throws -> AnyObject?
  ) throws -> [CValue] {
    let count = try reader.integer(UInt64.self)
    // A part has at least one byte.
    guard depth < maximumDepth, count <= UInt64(reader.remaining) else { throw Damage() }
    return try (0..<count).map { _ in try value(&reader, depth + 1, decodeObject) }
  }

  private static func content(_ reader: inout ByteReader<Damage>) throws(Damage) -> [UInt8] {
    let count = try reader.integer(UInt64.self)
    guard let count = Int(exactly: count) else { throw Damage() }
    return Array(try reader.take(count))
  }

  private static func longDouble(
    _ reader: inout ByteReader<Damage>
  ) throws(Damage) -> LongDouble {
    let sign = try reader.integer(UInt8.self)
    let exponent = try reader.integer(UInt64.self)
    let significand = try reader.integer(UInt64.self)
    return LongDouble(
      sign: sign == 1 ? .minus : .plus,
      exponentBitPattern: LongDouble.RawExponent(truncatingIfNeeded: exponent),
      significandBitPattern: LongDouble.RawSignificand(truncatingIfNeeded: significand))
  }

  /// The error for bytes that encode no value.
  struct Damage: DamageError {
    static func truncated(_ message: String, at offset: Int) -> Damage { Damage() }
    static func invalidValue(_ message: String, at offset: Int) -> Damage { Damage() }
  }
}
#endif
