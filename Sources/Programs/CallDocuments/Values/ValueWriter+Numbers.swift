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
    let literal: IntegerLiteral?
    switch value {
    case .number(let text): literal = IntegerLiteral(number: text)
    case .string(let text): literal = IntegerLiteral(string: text)
    default: literal = nil
    }
    guard let literal else {
      throw mismatch(value, "an integer, or a string with one in decimal or 0x,", at: place)
    }
    guard let integer = literal.value(as: type) else {
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
}

/// An integer as text: its sign and its digits.
private struct IntegerLiteral {
  private let digits: String
  private let radix: Int

  /// Accepts a JSON number without fraction and exponent.
  init?(number text: String) {
    guard text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Self.isDigit($0) }) else { return nil }
    (digits, radix) = (text, 10)
  }

  /// Accepts decimal digits, or hexadecimal ones after 0x, with an optional minus sign before them.
  init?(string text: String) {
    let isNegative = text.hasPrefix("-")
    var rest = isNegative ? text.dropFirst() : text[...]
    let isHexadecimal = rest.hasPrefix("0x")
    if isHexadecimal { rest = rest.dropFirst(2) }
    guard !rest.isEmpty,
      rest.utf8.allSatisfy({ isHexadecimal ? Self.isHexadecimalDigit($0) : Self.isDigit($0) })
    else { return nil }
    (digits, radix) = ((isNegative ? "-" : "") + rest, isHexadecimal ? 16 : 10)
  }

  /// The integer; nil if the type cannot represent it.
  func value<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
    type.init(digits, radix: radix)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }
}
