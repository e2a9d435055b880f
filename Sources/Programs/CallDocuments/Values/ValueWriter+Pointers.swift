import CommandOptionsAndResults
import Invocations
import TypeEncodings

extension ValueWriter {
  /// Converts a pointer: null, an address, a buffer with given contents, or the text of a C string.
  mutating func pointer(
    _ value: JSONValue, as encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    switch value {
    case .null: return .pointer(0)
    case .string(let text) where encoding.kind == .cString:
      return try Self.cString(Array(text.utf8), at: place)
    case .string(let text):
      guard text.hasPrefix("0x"), let bits = Self.address(text) else {
        throw Self.mismatch(value, Self.expectation(of: encoding), at: place)
      }
      return .pointer(bits)
    case .object(let members) where members.count == 1 && members[0].name == "buffer":
      guard case .array(let values) = members[0].value else {
        throw Self.mismatch(members[0].value, "a list as the buffer's contents", at: place)
      }
      return try buffer(values, for: encoding, at: place)
    case .array(let values):
      guard case .array(let count, _) = encoding.type else {
        throw Self.mismatch(value, Self.expectation(of: encoding), at: place)
      }
      try Self.check(values.count, isElementCountOf: encoding, count, at: place)
      return try buffer(values, for: encoding, at: place)
    default:
      throw Self.mismatch(value, Self.expectation(of: encoding), at: place)
    }
  }

  /// The values that a pointer accepts, for messages.
  private static func expectation(of encoding: TypeEncoding) -> String {
    let hasElements = ValueBuffer.element(ofPointer: encoding) != nil
    let buffer = hasElements ? #", {"buffer": […]}"# : ""
    return switch encoding.kind {
    case .cString: #"a string\#(buffer) or null"#
    case .array: #"a list, an address "0x…"\#(buffer) or null"#
    default: #"an address "0x…"\#(buffer) or null"#
    }
  }

  /// The address that a text has behind its `0x`; nil if these are not hexadecimal digits.
  private static func address(_ text: String) -> UInt? {
    let digits = text.dropFirst(2)
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
      return nil
    }
    return UInt(digits, radix: 16)
  }

  /// Copies a text to new memory, followed by a zero byte.
  static func cString(
    _ bytes: [UInt8], at place: String
  ) throws(Failure) -> CValue {
    guard !bytes.contains(0) else {
      throw Failure(
        code: "valueOutOfRange",
        message: "\(place): a C string ends at its first zero byte; the text has one inside")
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 1, alignment: 16)
    // SAFETY: the new memory has room for every byte and for the zero after them.
    unsafe memory.copyMemory(from: bytes, byteCount: bytes.count)
    unsafe memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    return .pointer(UInt(bitPattern: memory))
  }

  /// Allocates memory with contents for a pointer.
  private mutating func buffer(
    _ values: [JSONValue], for encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    let buffer = try ValueBuffer(pointer: encoding, count: values.count, at: place)
    for (index, value) in values.enumerated() {
      let element = "\(place), element \(index)"
      try buffer.store(try cValue(value, as: buffer.type, at: element), in: index, at: element)
    }
    lastBuffer = buffer
    return buffer.address
  }

  /// Checks the length of a list.
  static func check(
    _ count: Int, isElementCountOf encoding: TypeEncoding, _ expected: Int, at place: String
  ) throws(Failure) {
    guard count == expected else {
      throw Failure(
        code: "typeMismatch",
        message: "\(place): \(encoding) has \(expected.of("element")), \(count.areGiven)")
    }
  }
}
