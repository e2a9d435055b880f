import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// Converts the C values of results and buffers to JSON.
///
/// They are read with plain pointers in place of C strings, objects and blocks, because only the
/// user's signature says that these are valid.
enum ValueReader {
  /// The largest array of zero-sized elements that is listed.
  private static let emptyElementLimit = 65_536

  /// A value as JSON.
  ///
  /// - Parameters:
  ///   - value: The value, its type with plain pointers.
  ///   - encoding: Its type.
  ///   - name: The result or argument, for messages.
  /// - Returns: The value as JSON.
  /// - Throws: `unreadableString`, `unsupportedType`.
  static func json(
    _ value: CValue, of encoding: TypeEncoding, at name: String
  ) throws(Failure) -> JSONValue {
    switch (encoding.kind, value) {
    case (_, .void): .null
    case (_, .bool(let value)): .bool(value)
    case (.int128, .integer(let value)), (.uint128, .integer(let value)): .wide(value)
    case (_, .unsignedInteger(let value)): .wide(value)
    case (_, .integer(let value)): .exact(value)
    case (_, .float(let value)): .exact(value)
    case (_, .double(let value)): .exact(value)
    case (_, .longDouble(let value)): .exact(value)
    case (.complexFloat, .complex(let real, let imaginary)):
      .array([.exact(Float(real)), .exact(Float(imaginary))])
    case (.complexDouble, .complex(let real, let imaginary)):
      .array([.exact(Double(real)), .exact(Double(imaginary))])
    case (_, .complex(let real, let imaginary)): .array([.exact(real), .exact(imaginary)])
    case (.cString, .pointer(let address)): try cString(at: address, name)
    case (_, .pointer(let address)): .address(address)
    case (_, .array(let values)): try array(values, of: encoding, at: name)
    case (_, .structure(let values)): try structure(values, of: encoding, at: name)
    case (_, .bytes(let bytes)): .bytes(bytes)
    default:
      throw Failure(
        code: "unsupportedType", message: "\(name): no value has the type \(encoding)")
    }
  }

  /// A C string's text, or its bytes if it is not UTF-8.
  private static func cString(at address: UInt, _ name: String) throws(Failure) -> JSONValue {
    guard address != 0 else { return .null }
    switch CValue.cString(atAddress: address) {
    case .cString(let text?): return .string(text)
    case .bytes(let bytes): return .bytes(bytes)
    default:
      throw Failure(
        code: "unreadableString",
        message: "\(name): there is no readable C string at \(JSONValue.address(address).text); "
          + "read it as a pointer, ^c")
    }
  }

  private static func array(
    _ values: [CValue], of encoding: TypeEncoding, at name: String
  ) throws(Failure) -> JSONValue {
    guard let (count, type) = encoding.listedElements,
      !values.isEmpty || count <= emptyElementLimit
    else {
      throw Failure(
        code: "unsupportedType", message: "\(name): \(encoding) has too many empty elements")
    }
    var elements: [JSONValue] = []
    for value in values { elements.append(try json(value, of: type, at: name)) }
    return .array(elements)
  }

  private static func structure(
    _ values: [CValue], of encoding: TypeEncoding, at name: String
  ) throws(Failure) -> JSONValue {
    var members: [JSONValue] = []
    for (value, member) in zip(values, encoding.valueMembers) {
      if case (.bitField(let bits), .integer(let value)) = (member.encoding.type, value) {
        members.append(json(value, of: bits))
      } else {
        members.append(try json(value, of: member.encoding, at: name))
      }
    }
    return .array(members)
  }

  private static func json(_ value: Int128, of bits: BitFieldEncoding) -> JSONValue {
    switch bits.placement?.base {
    case .bool: .bool(value != 0)
    case .int128, .uint128: .wide(value)
    default: .exact(value)
    }
  }
}

extension TypeEncoding {
  /// The type with a plain pointer in place of each pointer to text, objects or code.
  var withPlainPointers: TypeEncoding {
    switch type {
    case .structure(let record):
      TypeEncoding(qualifiers: qualifiers, .structure(record.withPlainPointers))
    case .array(let count, let element):
      TypeEncoding(qualifiers: qualifiers, .array(count: count, element: element.withPlainPointers))
    case .pointer where kind == .pointer: self
    default: kind.isPointer ? TypeEncoding(.pointer(TypeEncoding(.primitive(.void)))) : self
    }
  }
}

extension RecordEncoding {
  fileprivate var withPlainPointers: RecordEncoding {
    RecordEncoding(
      tag: tag,
      fields: fields?.map { FieldEncoding(name: $0.name, $0.encoding.withPlainPointers) })
  }
}

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
