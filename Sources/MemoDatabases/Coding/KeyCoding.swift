#if Database
private import Foundation
internal import Invocations

/// Keys that a caller makes as bytes: as JSON with the names in order.
struct KeyCoding: Sendable {
  /// The name of the keys' type.
  let name: String

  /// The bytes of a key; nil for one that cannot be coded, or does not equal what its bytes are decoded
  /// to: then another key may have the same bytes.
  let encode: @Sendable (AnyHashable) -> [UInt8]?

  /// The key of bytes.
  let decode: @Sendable ([UInt8]) -> AnyHashable?

  init<Key: Codable & Hashable & Sendable>(_ type: Key.Type) {
    name = TypeName.lasting(type)
    let decode: @Sendable ([UInt8]) -> Key? = { try? JSON.decode(Key.self, from: $0) }
    encode = { key in
      guard let key = key.base as? Key, let bytes = try? JSON.encode(key), decode(bytes) == key
      else {
        return nil
      }
      return bytes
    }
    self.decode = { decode($0).map { AnyHashable($0) } }
  }
}

/// The names of types.
enum TypeName {
  /// A name that is the same in each process: that of a private type says where it was loaded.
  static func lasting(_ type: Any.Type) -> String {
    var name = _typeName(type, qualified: true)
    while let start = name.firstRange(of: "(unknown context at "),
      let end = name[start.upperBound...].firstRange(of: ").")
    {
      name.removeSubrange(start.lowerBound..<end.upperBound)
    }
    return name
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
  private static let text: UInt8 = 0x40

  /// The bytes of an object's value; nil for another object.
  static func encode(_ object: AnyObject) -> [UInt8]? {
    if let string = object as? NSString { return [text] + Array((string as String).utf8) }
    guard let number = object as? NSNumber, !(number is NSDecimalNumber) else { return nil }
    // SAFETY: the type is a C string, of one letter.
    let letter = unsafe UInt8(bitPattern: number.objCType.pointee)
    var bytes = [letter]
    switch letter {
    case UInt8(ascii: "f"), UInt8(ascii: "d"):
      bytes.append(littleEndian: number.doubleValue.bitPattern)
    case UInt8(ascii: "Q"): bytes.append(littleEndian: number.uint64Value)
    case _ where Array("cCsSiIlLqB".utf8).contains(letter):
      bytes.append(littleEndian: number.int64Value)
    default: return nil
    }
    return bytes
  }

  /// The object with a value of these bytes.
  static func decode(_ bytes: [UInt8]) -> AnyObject? {
    guard let letter = bytes.first else { return nil }
    let content = bytes.dropFirst()
    if letter == text {
      return String(validating: content, as: UTF8.self).map { NSString(string: $0) }
    }
    guard content.count == 8 else { return nil }
    let word = content.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch letter {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): return NSNumber(value: Double(bitPattern: word))
    case UInt8(ascii: "Q"): return NSNumber(value: word)
    case UInt8(ascii: "B"): return NSNumber(value: word != 0)
    default: return NSNumber(value: Int64(bitPattern: word))
    }
  }
}
#endif
