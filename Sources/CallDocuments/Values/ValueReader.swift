import CommandConventions
import Invocations
import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

/// Reads the C values of results and buffers as JSON.
enum ValueReader {
  /// The largest array of elements without size that is listed.
  private static let emptyElementLimit = 65_536

  /// A slot's value.
  ///
  /// - Parameters:
  ///   - slot: Where it lies.
  ///   - name: The result or argument, for messages.
  /// - Returns: The value as JSON.
  /// - Throws: `unreadableString`, `unsupportedType`.
  static func value(of slot: ValueSlot, at name: String) throws(Failure) -> JSONValue {
    switch unsafe slot.kind {
    case .void: .null
    case .bool: unsafe .bool(slot.address.load(as: UInt8.self) != 0)
    case .int8: unsafe .exact(slot.address.load(as: Int8.self))
    case .uint8: unsafe .exact(slot.address.load(as: UInt8.self))
    case .int16: unsafe .exact(slot.address.load(as: Int16.self))
    case .uint16: unsafe .exact(slot.address.load(as: UInt16.self))
    case .int32: unsafe .exact(slot.address.load(as: Int32.self))
    case .uint32: unsafe .exact(slot.address.load(as: UInt32.self))
    case .int64: unsafe .exact(slot.address.load(as: Int64.self))
    case .uint64: unsafe .exact(slot.address.load(as: UInt64.self))
    case .int128: unsafe .wide(slot.address.loadUnaligned(as: Int128.self))
    case .uint128: unsafe .wide(slot.address.loadUnaligned(as: UInt128.self))
    case .float: unsafe .exact(slot.address.load(as: Float.self))
    case .double: unsafe .exact(slot.address.load(as: Double.self))
    case .longDouble: unsafe .exact(slot.address.loadUnaligned(as: LongDouble.self))
    case .complexFloat, .complexDouble, .complexLongDouble:
      unsafe .array([
        try value(of: slot.halves.real, at: name), try value(of: slot.halves.imaginary, at: name),
      ])
    case .cString: unsafe try cString(in: slot, at: name)
    case .pointer, .object, .class, .selector, .block, .functionPointer:
      unsafe .address(slot.address.load(as: UInt.self))
    case .array: unsafe try array(in: slot, at: name)
    case .struct: unsafe try structure(in: slot, at: name)
    case .union:
      unsafe .bytes(Array(UnsafeRawBufferPointer(start: slot.address, count: slot.layout.size)))
    case .bitField, .unknown:
      throw unsafe Failure(
        code: "unsupportedType", message: "\(name): no value has the type \(slot.encoding)")
    }
  }

  /// A C string's text, or its bytes where it is not UTF-8.
  private static func cString(
    in slot: ValueSlot, at name: String
  ) throws(Failure) -> JSONValue {
    let address = unsafe slot.address.load(as: UInt.self)
    guard address != 0 else { return .null }
    guard let bytes = unsafe slot.cStringBytes() else {
      throw Failure(
        code: "unreadableString",
        message: "\(name): there is no readable C string at \(JSONValue.address(address).text); "
          + "read it as a pointer, ^c")
    }
    return String(validating: bytes, as: UTF8.self).map(JSONValue.string) ?? .bytes(bytes)
  }

  private static func array(in slot: ValueSlot, at name: String) throws(Failure) -> JSONValue {
    if case .array(let count, _) = unsafe slot.encoding.type, unsafe slot.layout.size == 0,
      count > emptyElementLimit
    {
      throw unsafe Failure(
        code: "unsupportedType", message: "\(name): \(slot.encoding) has too many empty elements")
    }
    let elements = unsafe try ValueWriter.parts(at: name) { () throws(InvocationError) in
      unsafe try slot.elements()
    }
    var values: [JSONValue] = []
    for index in unsafe elements.indices {
      values.append(unsafe try value(of: elements[index], at: name))
    }
    return .array(values)
  }

  private static func value(of bits: BitFieldSlot) -> JSONValue {
    switch unsafe bits.base {
    case .bool: .bool(unsafe bits.value != 0)
    case .int128, .uint128: unsafe .wide(bits.value)
    default: unsafe .exact(bits.value)
    }
  }

  private static func structure(
    in slot: ValueSlot, at name: String
  ) throws(Failure) -> JSONValue {
    let members = unsafe try ValueWriter.parts(at: name) { () throws(InvocationError) in
      unsafe try slot.members()
    }
    var values: [JSONValue] = []
    for index in unsafe members.indices {
      switch unsafe members[index] {
      case .slot(let slot): unsafe try values.append(value(of: slot, at: name))
      case .bits(let bits): unsafe values.append(value(of: bits))
      }
    }
    return .array(values)
  }

  /// The names of a structure's members, without bit-fields of zero width; nil where there is none.
  static func memberNames(of encoding: TypeEncoding) -> [String?] {
    guard case .structure(let record) = encoding.type else { return [] }
    return (record.fields ?? []).filter { field in
      if case .bitField(let bits) = field.encoding.type { bits.width > 0 } else { true }
    }.map(\.name)
  }
}
