import CommandConventions
import Invocations
import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

extension ValueWriter {
  /// Writes a truth value: `true`, `false`, 1 or 0.
  static func writeBool(
    _ value: JSONValue, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    unsafe slot.address.storeBytes(of: try bool(value, at: place) ? 1 : 0, as: UInt8.self)
  }

  /// Reads a truth value.
  static func bool(_ value: JSONValue, at place: String) throws(Failure) -> Bool {
    switch value {
    case .bool(let given): given
    case .number("1"): true
    case .number("0"): false
    default: throw mismatch(value, "true or false", at: place)
    }
  }

  /// Writes an integer.
  static func writeInteger<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ value: JSONValue, _ type: Integer.Type, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    unsafe slot.address.storeBytes(of: try integer(value, type, at: place), as: type)
  }

  /// The integer that a value is.
  ///
  /// - Throws: `typeMismatch` for all but JSON integers and strings in decimal or 0x,
  ///   `valueOutOfRange`.
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

  /// Writes a floating-point number, read from its text at its own precision.
  static func writeFloat<Number: LosslessStringConvertible & BinaryFloatingPoint & BitwiseCopyable>(
    _ value: JSONValue, _ type: Number.Type, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    let number: Number
    switch value {
    case .string("nan"): number = .nan
    case .string("inf"): number = .infinity
    case .string("-inf"): number = -.infinity
    case .number(let text):
      guard let parsed = Number(text), parsed.isFinite else {
        throw outOfRange(value, "the largest is \(Number.greatestFiniteMagnitude)", at: place)
      }
      number = parsed
    default:
      throw mismatch(value, #"a number, "nan", "inf" or "-inf""#, at: place)
    }
    unsafe slot.address.storeBytes(of: number, as: type)
  }

  /// Writes a complex number, `[re, im]`.
  mutating func writeComplex(
    _ value: JSONValue, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    guard case .array(let parts) = value, parts.count == 2 else {
      throw Self.mismatch(value, "a complex number [re, im]", at: place)
    }
    let halves = unsafe slot.halves
    unsafe try write(parts[0], to: halves.real, at: place + ", real part")
    unsafe try write(parts[1], to: halves.imaginary, at: place + ", imaginary part")
  }
}

/// An integer as it is written: its sign and its digits.
private struct IntegerLiteral {
  private let digits: String
  private let radix: Int

  /// A JSON number without fraction and exponent.
  init?(number text: String) {
    guard text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Self.isDigit($0) }) else { return nil }
    (digits, radix) = (text, 10)
  }

  /// Decimal digits, or hexadecimal ones behind 0x; a minus sign may lead.
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

  /// The integer; nil where the type does not hold it.
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
