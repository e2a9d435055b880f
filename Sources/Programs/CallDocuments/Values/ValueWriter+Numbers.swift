import CommandOptionsAndResults
import Invocations

extension ValueWriter {
  /// Converts a truth value: `true`, `false`, 1 or 0.
  static func bool(_ value: JSONValue, at place: String) throws(Failure) -> Bool {
    switch value {
    case .bool(let given): given
    case .number("1"): true
    case .number("0"): false
    default: throw mismatch(value, "true or false", at: place)
    }
  }

  /// Converts a JSON integer, or a string with a decimal or hexadecimal integer.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  static func integer<Integer: FixedWidthInteger>(
    _ value: JSONValue, _ type: Integer.Type, at place: String
  ) throws(Failure) -> Integer {
    guard let (digits, radix) = digits(of: value) else {
      throw mismatch(value, "an integer, or a string with one in decimal or 0x,", at: place)
    }
    guard let integer = Integer(digits, radix: radix) else {
      throw outOfRange(value, "\(type.min) to \(type.max)", at: place)
    }
    return integer
  }

  /// Converts a floating-point number, parsed from its text with the precision of the type.
  static func number<Number: LosslessStringConvertible & BinaryFloatingPoint>(
    _ value: JSONValue, _ type: Number.Type, at place: String
  ) throws(Failure) -> Number {
    switch value {
    case .string("nan"): return .nan
    case .string("inf"): return .infinity
    case .string("-inf"): return -.infinity
    case .number(let text):
      guard let parsed = Number(text), parsed.isFinite else {
        throw outOfRange(value, "the largest is \(Number.greatestFiniteMagnitude)", at: place)
      }
      return parsed
    default:
      throw mismatch(value, #"a number, "nan", "inf" or "-inf""#, at: place)
    }
  }

  /// Converts a complex number, `[re, im]`.
  static func complex<Number: LosslessStringConvertible & BinaryFloatingPoint>(
    _ value: JSONValue, _ type: Number.Type, at place: String
  ) throws(Failure) -> CValue {
    guard case .array(let parts) = value, parts.count == 2 else {
      throw mismatch(value, "a complex number [re, im]", at: place)
    }
    return .complex(
      real: LongDouble(try number(parts[0], type, at: place + ", real part")),
      imaginary: LongDouble(try number(parts[1], type, at: place + ", imaginary part")))
  }

  /// The digits of an integer with their sign, in decimal or, in a string behind 0x, in
  /// hexadecimal; nil for another value.
  private static func digits(of value: JSONValue) -> (digits: String, radix: Int)? {
    let text: String
    switch value {
    case .number(let number): text = number
    case .string(let string): text = string
    default: return nil
    }
    let sign = text.prefix { $0 == "-" }
    let isHexadecimal = text.dropFirst(sign.count).hasPrefix("0x")
    let digits = text.dropFirst(sign.count + (isHexadecimal ? 2 : 0))
    guard sign.count < 2, !digits.isEmpty,
      digits.allSatisfy({ $0.isASCII && (isHexadecimal ? $0.isHexDigit : $0.isNumber) })
    else { return nil }
    return (String(sign + digits), isHexadecimal ? 16 : 10)
  }
}
