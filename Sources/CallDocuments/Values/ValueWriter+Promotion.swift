import CommandConventions
import Invocations
import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

extension ValueWriter {
  /// Writes a value of a small type that is passed as `int` or `double`.
  ///
  /// It must be a value of the small type, and is rounded as one.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoding: The small type.
  ///   - slot: Where the `int` or `double` goes.
  ///   - place: The argument, for messages.
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  mutating func writePromoted(
    _ value: JSONValue, from encoding: TypeEncoding, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    // The place of an `int` or `double` has room for each smaller type.
    let small = unsafe ValueSlot(encoding, slot.layout, slot.place, at: slot.address)
    unsafe try write(value, to: small, at: place)
    let address = unsafe slot.address
    switch encoding.kind {
    case .float:
      unsafe address.storeBytes(of: Double(address.load(as: Float.self)), as: Double.self)
    case .bool, .uint8:
      unsafe address.storeBytes(of: Int32(address.load(as: UInt8.self)), as: Int32.self)
    case .int8:
      unsafe address.storeBytes(of: Int32(address.load(as: Int8.self)), as: Int32.self)
    case .int16:
      unsafe address.storeBytes(of: Int32(address.load(as: Int16.self)), as: Int32.self)
    case .uint16:
      unsafe address.storeBytes(of: Int32(address.load(as: UInt16.self)), as: Int32.self)
    default: break
    }
  }
}
