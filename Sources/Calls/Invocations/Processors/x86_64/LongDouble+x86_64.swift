#if arch(x86_64)
/// C's `long double`: the x87's format, of 80 bits.
public typealias LongDouble = Float80

/// A `long double` in memory.
package enum LongDoubleFormat {
  /// Whether numbers in memory can be read and written.
  static var isKnown: Bool { true }

  /// Whether `LongDouble` has all numbers.
  static var isAlwaysExact: Bool { true }

  /// The number of bytes that are part of the number.
  package static var byteCount: Int { 10 }

  /// Reads a number.
  ///
  /// - Returns: The number, and whether it is exact; it always is.
  ///
  /// ## Safety
  /// There must be a `long double` at the address.
  @unsafe
  package static func load(_ address: UnsafeRawPointer) -> (value: LongDouble, isExact: Bool) {
    (unsafe address.loadUnaligned(as: LongDouble.self), true)
  }

  /// Writes a number.
  ///
  /// ## Safety
  /// There must be room for a `long double` at the address.
  @unsafe
  package static func store(_ value: LongDouble, at address: UnsafeMutableRawPointer) {
    unsafe address.storeBytes(of: value, as: LongDouble.self)
  }
}

extension Float80: SlotConvertible {}
#endif
