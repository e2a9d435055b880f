import CommandConventions
import Invocations
import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

extension ValueWriter {
  /// Writes a pointer: null, an address, memory with given contents, or text for a C string.
  mutating func writePointer(
    _ value: JSONValue, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    let pointer: UnsafeMutableRawPointer?
    switch value {
    case .null: unsafe pointer = nil
    case .string(let text) where unsafe slot.kind == .cString:
      unsafe pointer = unsafe try Self.cString(Array(text.utf8), at: place)
    case .string(let text):
      guard text.hasPrefix("0x"), let bits = Self.address(text) else {
        throw unsafe Self.mismatch(value, Self.expectation(of: slot), at: place)
      }
      unsafe pointer = unsafe UnsafeMutableRawPointer(bitPattern: bits)
    case .object(let members) where members.count == 1 && members[0].name == "buffer":
      guard case .array(let values) = members[0].value else {
        throw Self.mismatch(members[0].value, "a list as the buffer's contents", at: place)
      }
      unsafe pointer = unsafe try buffer(values, for: slot, at: place)
    case .array(let values):
      guard case .array(let count, _) = unsafe slot.encoding.type else {
        throw unsafe Self.mismatch(value, Self.expectation(of: slot), at: place)
      }
      unsafe try Self.check(values.count, isElementCountOf: slot.encoding, count, at: place)
      unsafe pointer = unsafe try buffer(values, for: slot, at: place)
    default:
      throw unsafe Self.mismatch(value, Self.expectation(of: slot), at: place)
    }
    unsafe slot.address.storeBytes(of: pointer, as: UnsafeMutableRawPointer?.self)
  }

  /// What a pointer's value may be, for messages.
  private static func expectation(of slot: ValueSlot) -> String {
    let hasElements = ValueBuffer.element(ofPointer: unsafe slot.encoding) != nil
    let buffer = hasElements ? #", {"buffer": […]}"# : ""
    return switch unsafe slot.kind {
    case .cString: #"a string\#(buffer) or null"#
    case .array: #"a list, an address "0x…"\#(buffer) or null"#
    default: #"an address "0x…"\#(buffer) or null"#
    }
  }

  /// The address that a text of hexadecimal digits names; nil where it names none.
  private static func address(_ text: String) -> UInt? {
    let digits = text.dropFirst(2)
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
      return nil
    }
    return UInt(digits, radix: 16)
  }

  /// Copies a text to memory of its own, with a zero behind it.
  static func cString(
    _ bytes: [UInt8], at place: String
  ) throws(Failure) -> UnsafeMutableRawPointer {
    guard !bytes.contains(0) else {
      throw Failure(
        code: "valueOutOfRange",
        message: "\(place): a C string ends at its first zero byte; the text has one inside")
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 1, alignment: 16)
    // SAFETY: the memory has a place for every byte, and for the zero behind them.
    unsafe memory.copyMemory(from: bytes, byteCount: bytes.count)
    unsafe memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    return unsafe memory
  }

  /// Makes memory with contents for a pointer.
  private mutating func buffer(
    _ values: [JSONValue], for slot: ValueSlot, at place: String
  ) throws(Failure) -> UnsafeMutableRawPointer {
    let buffer = unsafe try ValueBuffer(
      pointer: slot.encoding, count: values.count, place: slot.place, name: place)
    for (index, value) in values.enumerated() {
      unsafe try write(value, to: buffer.element(index), at: "\(place), element \(index)")
    }
    note(buffer)
    return unsafe buffer.address
  }

  /// Checks the length of a list.
  static func check(
    _ count: Int, isElementCountOf encoding: TypeEncoding, _ expected: Int, at place: String
  ) throws(Failure) {
    guard count == expected else {
      throw Failure(
        code: "typeMismatch",
        message: "\(place): \(encoding) has \(expected) elements, \(count) are given")
    }
  }
}
