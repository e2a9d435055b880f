// SAFETY, for the whole file: nothing at such an address is ever freed; who makes one knows what lies
// there.

/// The address of something that lasts as long as the program: constants of its images, metadata of
/// its classes, code.
@safe
struct RuntimeAddress: Hashable, Sendable {
  private let bits: UInt

  init(_ pointer: UnsafeRawPointer) { bits = UInt(bitPattern: pointer) }

  /// The address as what C takes.
  var pointer: UnsafeRawPointer {
    unsafe UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped
  }

  static func + (address: RuntimeAddress, offset: Int) -> RuntimeAddress {
    unsafe RuntimeAddress(address.pointer + offset)
  }

  /// Reads a value that lies some bytes behind the address.
  func load<Value: BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int) -> Value {
    unsafe pointer.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }

  /// The address that lies some bytes behind this one; nil for zero.
  func address(at offset: Int) -> RuntimeAddress? {
    unsafe load(UnsafeRawPointer?.self, at: offset).map { unsafe RuntimeAddress($0) }
  }

  /// What a distance some bytes behind the address refers to; nil for a distance of zero.
  func target(at offset: Int) -> RuntimeAddress? {
    let distance = load(Int32.self, at: offset)
    return distance == 0 ? nil : self + offset + Int(distance)
  }
}
