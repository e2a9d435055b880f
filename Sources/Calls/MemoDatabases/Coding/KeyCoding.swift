#if Database
internal import CallMemoization
private import Foundation
internal import Invocations

extension MemoKeyCoding where Key: Codable {
  /// Codes keys as bytes: text in UTF-8, whole numbers in decimal digits, and other keys as JSON
  /// with the names in order.
  init() {
    let decode: @Sendable ([UInt8]) -> Key? = { try? JSON.decode(Key.self, from: $0) }
    if Key.self == String.self {
      self.init(
        encode: { ($0 as? String).map { Array($0.utf8) } },
        decode: { String(validating: $0, as: UTF8.self) as? Key })
    } else if Key.self is any FixedWidthInteger.Type {
      self.init(encode: { Array("\($0)".utf8) }, decode: decode, isTold: true)
    } else {
      self.init(encode: { try? JSON.encode($0) }, decode: decode)
    }
  }
}

/// A JSON coding that keeps all numbers.
enum JSON {
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return [UInt8](try encoder.encode(value))
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: Data(bytes))
  }
}

/// The objects among arguments whose value has the same bytes in every process: text and numbers.
enum ArgumentObject {
  /// The bytes of an object's value; nil for another object.
  static func encode(_ object: AnyObject) -> [UInt8]? {
    value(of: object).flatMap { CodedValue.encode($0) { _ in nil } }
  }

  /// The value of an object; nil for another object.
  ///
  /// As in memory, 1 and 1.0 are one number, 0 and -0.0 are two, and `true` is none.
  private static func value(of object: AnyObject) -> CValue? {
    if let string = object as? NSString { return .cString(string as String) }
    guard let number = object as? NSNumber, !(number is NSDecimalNumber) else { return nil }
    if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
    // SAFETY: the type is a C string, of one letter.
    switch unsafe UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"):
      let value = number.doubleValue
      let isNegativeZero = value == 0 && value.sign == .minus
      guard !isNegativeZero, let whole = Int128(exactly: value),
        Int64(exactly: whole) != nil || UInt64(exactly: whole) != nil
      else { return .double(value) }
      return .integer(whole)
    case UInt8(ascii: "Q"): return .integer(Int128(number.uint64Value))
    case let letter where Array("cCsSiIlLq".utf8).contains(letter):
      return .integer(Int128(number.int64Value))
    default: return nil
    }
  }

  /// The object with a value of these bytes.
  static func decode(_ bytes: [UInt8]) -> AnyObject? {
    switch try? CodedValue.decode(bytes, { _ in nil }) {
    case .cString(let text?): NSString(string: text)
    case .bool(let value): NSNumber(value: value)
    case .integer(let value):
      Int64(exactly: value).map(NSNumber.init(value:))
        ?? UInt64(exactly: value).map(NSNumber.init(value:))
    case .double(let value): NSNumber(value: value)
    default: nil
    }
  }
}
#endif
