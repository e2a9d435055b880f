import CommandConventions
import Invocations
import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

/// Writes JSON values as the C values of a call's arguments.
///
/// What pointers point to is never freed: C functions keep such pointers (`putenv`, `strtok`), and a
/// later call of the same process may be given an address that an earlier one returned.
struct ValueWriter {
  /// The memory made last for a pointer; of nested ones, the outermost.
  private(set) var lastBuffer: ValueBuffer?

  /// Writes a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - slot: Where it goes.
  ///   - place: The argument, and the part of it, for messages.
  /// - Throws: `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  mutating func write(
    _ value: JSONValue, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    switch unsafe slot.kind {
    case .bool: unsafe try Self.writeBool(value, to: slot, at: place)
    case .int8: unsafe try Self.writeInteger(value, Int8.self, to: slot, at: place)
    case .uint8: unsafe try Self.writeInteger(value, UInt8.self, to: slot, at: place)
    case .int16: unsafe try Self.writeInteger(value, Int16.self, to: slot, at: place)
    case .uint16: unsafe try Self.writeInteger(value, UInt16.self, to: slot, at: place)
    case .int32: unsafe try Self.writeInteger(value, Int32.self, to: slot, at: place)
    case .uint32: unsafe try Self.writeInteger(value, UInt32.self, to: slot, at: place)
    case .int64: unsafe try Self.writeInteger(value, Int64.self, to: slot, at: place)
    case .uint64: unsafe try Self.writeInteger(value, UInt64.self, to: slot, at: place)
    case .int128: unsafe try Self.writeInteger(value, Int128.self, to: slot, at: place)
    case .uint128: unsafe try Self.writeInteger(value, UInt128.self, to: slot, at: place)
    case .float: unsafe try Self.writeFloat(value, Float.self, to: slot, at: place)
    case .double: unsafe try Self.writeFloat(value, Double.self, to: slot, at: place)
    case .longDouble: unsafe try Self.writeFloat(value, LongDouble.self, to: slot, at: place)
    case .complexFloat, .complexDouble, .complexLongDouble:
      unsafe try writeComplex(value, to: slot, at: place)
    case .cString, .pointer, .object, .class, .selector, .block, .functionPointer:
      unsafe try writePointer(value, to: slot, at: place)
    case .array:
      if case .argument = unsafe slot.place {
        unsafe try writePointer(value, to: slot, at: place)
      } else {
        unsafe try writeArray(value, to: slot, at: place)
      }
    case .struct: unsafe try writeStructure(value, to: slot, at: place)
    case .union: unsafe try writeUnion(value, to: slot, at: place)
    case .void, .bitField, .unknown:
      throw unsafe Failure(
        code: "unsupportedType", message: "\(place): no value has the type \(slot.encoding)")
    }
  }

  /// Notes memory that a pointer was given.
  mutating func note(_ buffer: ValueBuffer) { lastBuffer = buffer }

  /// The failure of a value that is of another sort than the type asks for.
  static func mismatch(_ value: JSONValue, _ expected: String, at place: String) -> Failure {
    Failure(
      code: "typeMismatch", message: "\(place): \(expected) is expected, \(value.shown) is given")
  }

  /// The failure of a value that is of the right sort, but that the type cannot hold.
  static func outOfRange(_ value: JSONValue, _ range: String, at place: String) -> Failure {
    Failure(code: "valueOutOfRange", message: "\(place): \(value.shown) is out of range: \(range)")
  }
}

extension JSONValue {
  /// The value for a message, short.
  var shown: String {
    let limit = 40
    let text = text
    return text.count > limit ? text.prefix(limit) + "…" : text
  }
}
