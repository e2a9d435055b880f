/// An address that stays valid as long as the program: of constants of its images, of metadata, or
/// of code.
@safe
package struct RuntimeAddress: Hashable, Sendable {
  // SAFETY: nothing at such an address is ever freed; the code that makes one knows the layout of
  // the memory there.

  private let bits: UInt

  package init(_ pointer: UnsafeRawPointer) { bits = UInt(bitPattern: pointer) }

  /// The address as a pointer.
  package var pointer: UnsafeRawPointer {
    unsafe UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped
  }

  package static func + (address: RuntimeAddress, offset: Int) -> RuntimeAddress {
    unsafe RuntimeAddress(address.pointer + offset)
  }

  /// Reads the value at an offset in bytes.
  package func load<Value: BitwiseCopyable>(
    _ type: Value.Type = Value.self, at offset: Int
  ) -> Value {
    unsafe pointer.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }

  /// The address stored at an offset in bytes; nil if that is zero.
  package func address(at offset: Int) -> RuntimeAddress? {
    unsafe load(UnsafeRawPointer?.self, at: offset).map { unsafe RuntimeAddress($0) }
  }

  /// The target of the relative reference at an offset in bytes; nil if its distance is zero.
  package func target(at offset: Int) -> RuntimeAddress? {
    let distance = load(Int32.self, at: offset)
    return distance == 0 ? nil : self + offset + Int(distance)
  }
}
