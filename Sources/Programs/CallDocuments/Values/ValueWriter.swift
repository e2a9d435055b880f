import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// Converts JSON values to the C values of a call's arguments.
///
/// The memory of pointers is never freed: C functions store such pointers (`putenv`, `strtok`), and
/// a later call of the same process may pass an address that an earlier one returned.
struct ValueWriter {
  /// The buffer that was made last for a pointer; of nested buffers, the outermost.
  var lastBuffer: ValueBuffer?

  /// Converts an argument as `cValue` does; an array is passed as a pointer.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  mutating func argument(
    _ value: JSONValue, as encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    encoding.kind == .array
      ? try pointer(value, as: encoding, at: place) : try cValue(value, as: encoding, at: place)
  }

  /// Converts a JSON value to a C value of a type.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoding: Its type.
  ///   - place: The argument, and the part of it, for messages.
  /// - Returns: The C value.
  /// - Throws: `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  mutating func cValue(
    _ value: JSONValue, as encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    switch encoding.kind {
    case .bool: .bool(try Self.bool(value, at: place))
    case .int8: CValue(try Self.integer(value, Int8.self, at: place))
    case .uint8: CValue(try Self.integer(value, UInt8.self, at: place))
    case .int16: CValue(try Self.integer(value, Int16.self, at: place))
    case .uint16: CValue(try Self.integer(value, UInt16.self, at: place))
    case .int32: CValue(try Self.integer(value, Int32.self, at: place))
    case .uint32: CValue(try Self.integer(value, UInt32.self, at: place))
    case .int64: CValue(try Self.integer(value, Int64.self, at: place))
    case .uint64: CValue(try Self.integer(value, UInt64.self, at: place))
    case .int128: CValue(try Self.integer(value, Int128.self, at: place))
    case .uint128: CValue(try Self.integer(value, UInt128.self, at: place))
    case .float: .float(try Self.number(value, Float.self, at: place))
    case .double: .double(try Self.number(value, Double.self, at: place))
    case .longDouble: .longDouble(try Self.number(value, LongDouble.self, at: place))
    case .complexFloat: try Self.complex(value, Float.self, at: place)
    case .complexDouble: try Self.complex(value, Double.self, at: place)
    case .complexLongDouble: try Self.complex(value, LongDouble.self, at: place)
    case .cString, .pointer, .object, .class, .selector, .block, .functionPointer:
      try pointer(value, as: encoding, at: place)
    case .array, .vector: try array(value, as: encoding, at: place)
    case .struct: try structure(value, as: encoding, at: place)
    case .union: try union(value, as: encoding, at: place)
    case .void, .bitField, .unknown:
      throw Failure(
        code: "unsupportedType", message: "\(place): no value has the type \(encoding)")
    }
  }

  /// The failure for a value of a kind that the type does not accept.
  static func mismatch(_ value: JSONValue, _ expected: String, at place: String) -> Failure {
    Failure(
      code: "typeMismatch", message: "\(place): \(expected) is expected, \(value.shown) is given")
  }

  /// The failure for a value of an accepted kind that the type cannot represent.
  static func outOfRange(_ value: JSONValue, _ range: String, at place: String) -> Failure {
    Failure(code: "valueOutOfRange", message: "\(place): \(value.shown) is out of range: \(range)")
  }
}

extension JSONValue {
  /// The value for a message, shortened.
  var shown: String {
    let limit = 40
    let text = text
    return text.count > limit ? text.prefix(limit) + "…" : text
  }
}
