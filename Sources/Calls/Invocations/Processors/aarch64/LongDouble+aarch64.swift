#if arch(arm64)
/// The widest floating-point type that Swift has; C's `long double` has 128 bits.
///
/// Numbers that a `Double` does not have are passed on unchanged, but cannot be read.
public typealias LongDouble = Double

/// A `long double` in memory: one sign bit, 15 bits of exponent, 112 of the significand.
///
/// Specification: IEEE 754-2008, 3.6 (binary128); AAPCS64, 5.1.
package enum LongDoubleFormat {
  /// Whether numbers in memory can be read and written.
  static var isKnown: Bool { true }

  /// Whether `LongDouble` has all numbers.
  static var isAlwaysExact: Bool { false }

  /// The number of bytes that are part of the number.
  package static var byteCount: Int { 16 }

  private static let significandBits = 112
  private static let bias = 16_383
  private static let highestExponent = 0x7FFF

  /// Reads a number, rounded to a `Double`.
  ///
  /// - Returns: The number, and whether it is exact.
  ///
  /// ## Safety
  /// There must be a `long double` at the address.
  @unsafe
  package static func load(_ address: UnsafeRawPointer) -> (value: LongDouble, isExact: Bool) {
    let bits = unsafe address.loadUnaligned(as: UInt128.self)
    let value = double(bits)
    return (value, value.isNaN || Self.bits(value) == bits)
  }

  /// Writes a number.
  ///
  /// ## Safety
  /// There must be room for a `long double` at the address.
  @unsafe
  package static func store(_ value: LongDouble, at address: UnsafeMutableRawPointer) {
    unsafe address.storeBytes(of: bits(value), as: UInt128.self)
  }

  private static func double(_ bits: UInt128) -> Double {
    let sign: FloatingPointSign = bits >> 127 == 0 ? .plus : .minus
    let exponent = Int(bits >> significandBits) & highestExponent
    let fraction = bits & ((1 << significandBits) - 1)
    if exponent == highestExponent {
      return fraction == 0 ? Double(signOf: sign == .plus ? 1 : -1, magnitudeOf: .infinity) : .nan
    }
    // Subnormal numbers are far below those of `Double`.
    guard exponent > 0 else { return sign == .plus ? 0 : -0.0 }
    // The highest 64 bits; the lowest of them says whether there are more.
    let significand = fraction | 1 << significandBits
    let dropped = significandBits + 1 - 64
    let isMore = significand & ((1 << dropped) - 1) != 0
    let rounded = Double(UInt64(significand >> dropped) | (isMore ? 1 : 0))
    return Double(sign: sign, exponent: exponent - bias - 63, significand: rounded)
  }

  private static func bits(_ value: Double) -> UInt128 {
    let sign: UInt128 = value.sign == .minus ? 1 << 127 : 0
    let fraction = UInt128(value.significandBitPattern) << (significandBits - 52)
    if value.isNaN || value.isInfinite {
      return sign | UInt128(highestExponent) << significandBits | fraction
    }
    guard !value.isZero else { return sign }
    // Numbers that are subnormal as `Double` are normal here.
    let significand = UInt128(value.significand.significandBitPattern) << (significandBits - 52)
    return sign | UInt128(Int(value.exponent) + bias) << significandBits | significand
  }
}
#endif
