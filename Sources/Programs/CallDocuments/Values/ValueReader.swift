import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// Converts the C values of results and buffers to JSON.
///
/// The values have plain pointers in place of C strings, objects and blocks, because only the
/// user's signature says that these are valid.
enum ValueReader {
  /// The largest array of zero-sized elements that is listed.
  private static let emptyElementLimit = 65_536

  /// A value as JSON.
  ///
  /// - Parameters:
  ///   - value: The value, its type with plain pointers.
  ///   - encoding: Its type.
  ///   - place: The result or argument, for messages.
  /// - Returns: The value as JSON.
  /// - Throws: `unreadableString`, `unsupportedType`.
  static func json(
    _ value: CValue, of encoding: TypeEncoding, at place: String
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
    case (.cString, .pointer(let address)): try cString(at: address, place)
    case (_, .pointer(let address)): .address(address)
    case (_, .array(let values)): try array(values, of: encoding, at: place)
    case (_, .structure(let values)): try structure(values, of: encoding, at: place)
    case (_, .bytes(let bytes)): .bytes(bytes)
    default:
      throw Failure(
        code: "unsupportedType", message: "\(place): no value has the type \(encoding)")
    }
  }

  /// A C string's text, or its bytes if it is not UTF-8.
  private static func cString(at address: UInt, _ place: String) throws(Failure) -> JSONValue {
    guard address != 0 else { return .null }
    switch CValue.cString(atAddress: address) {
    case .cString(let text?): return .string(text)
    case .bytes(let bytes): return .bytes(bytes)
    default:
      throw Failure(
        code: "unreadableString",
        message: "\(place): there is no readable C string at \(JSONValue.address(address).text); "
          + "read it as a pointer, ^c")
    }
  }

  private static func array(
    _ values: [CValue], of encoding: TypeEncoding, at place: String
  ) throws(Failure) -> JSONValue {
    guard let (count, type) = encoding.listedElements,
      !values.isEmpty || count <= emptyElementLimit
    else {
      throw Failure(
        code: "unsupportedType", message: "\(place): \(encoding) has too many empty elements")
    }
    var elements: [JSONValue] = []
    for value in values { elements.append(try json(value, of: type, at: place)) }
    return .array(elements)
  }

  private static func structure(
    _ values: [CValue], of encoding: TypeEncoding, at place: String
  ) throws(Failure) -> JSONValue {
    var members: [JSONValue] = []
    for (value, member) in zip(values, encoding.valueMembers) {
      if case (.bitField(let bits), .integer(let value)) = (member.encoding.type, value) {
        members.append(json(value, of: bits))
      } else {
        members.append(try json(value, of: member.encoding, at: place))
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
