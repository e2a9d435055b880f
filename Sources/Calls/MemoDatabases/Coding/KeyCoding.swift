#if Database
internal import CallMemoization
private import Foundation
internal import Invocations

extension MemoKeyCoding where Key: Codable {
  /// Codes keys as bytes: text in UTF-8, whole numbers in decimal digits, and others as JSON with the
  /// names in order.
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

/// JSON that keeps all numbers.
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
  private enum Form: UInt8 {
    case text, boolean, whole, unsigned, floating
  }

  /// The bytes of an object's value; nil for another object.
  ///
  /// As in memory, 1 and 1.0 are one number, 0 and -0.0 are two, and `true` is none.
  static func encode(_ object: AnyObject) -> [UInt8]? {
    func bytes(_ form: Form, _ word: UInt64) -> [UInt8] {
      var bytes = [form.rawValue]
      bytes.append(littleEndian: word)
      return bytes
    }
    if let string = object as? NSString {
      return [Form.text.rawValue] + Array((string as String).utf8)
    }
    guard let number = object as? NSNumber, !(number is NSDecimalNumber) else { return nil }
    if type(of: number) == type(of: NSNumber(value: true)) {
      return bytes(.boolean, number.boolValue ? 1 : 0)
    }
    // SAFETY: the type is a C string, of one letter.
    switch unsafe UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"):
      let value = number.doubleValue
      if value != 0 || value.sign == .plus {
        if let whole = Int64(exactly: value) { return bytes(.whole, UInt64(bitPattern: whole)) }
        if let whole = UInt64(exactly: value) { return bytes(.unsigned, whole) }
      }
      return bytes(.floating, value.bitPattern)
    case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max):
      return bytes(.unsigned, number.uint64Value)
    case let letter where Array("cCsSiIlLqQ".utf8).contains(letter):
      return bytes(.whole, UInt64(bitPattern: number.int64Value))
    default: return nil
    }
  }

  /// The object with a value of these bytes.
  static func decode(_ bytes: [UInt8]) -> AnyObject? {
    guard let form = bytes.first.flatMap(Form.init) else { return nil }
    let content = bytes.dropFirst()
    if form == .text {
      return String(validating: content, as: UTF8.self).map { NSString(string: $0) }
    }
    guard content.count == 8 else { return nil }
    let word = content.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return switch form {
    case .text: nil
    case .boolean: NSNumber(value: word != 0)
    case .whole: NSNumber(value: Int64(bitPattern: word))
    case .unsigned: NSNumber(value: word)
    case .floating: NSNumber(value: Double(bitPattern: word))
    }
  }
}
#endif
