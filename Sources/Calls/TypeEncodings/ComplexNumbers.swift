/// A complex number of two doubles, C's `double _Complex`.
///
/// Specification: ISO C11, 6.2.5, paragraph 13.
public struct ComplexDouble: TypeEncodable, Hashable, Sendable, BitwiseCopyable {
  /// The real part.
  public var real: Double

  /// The imaginary part.
  public var imaginary: Double

  /// The encoding `jd`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.complex(.double)) }

  /// Creates a number of its parts.
  public init(_ real: Double, _ imaginary: Double) {
    (self.real, self.imaginary) = (real, imaginary)
  }
}

/// A complex number of two floats, C's `float _Complex`.
///
/// Specification: ISO C11, 6.2.5, paragraph 13.
public struct ComplexFloat: TypeEncodable, Hashable, Sendable, BitwiseCopyable {
  /// The real part.
  public var real: Float

  /// The imaginary part.
  public var imaginary: Float

  /// The encoding `jf`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.complex(.float)) }

  /// Creates a number of its parts.
  public init(_ real: Float, _ imaginary: Float) {
    (self.real, self.imaginary) = (real, imaginary)
  }
}

/// The bits of a `long double`, even if no number of Swift can hold its value.
///
/// On x86-64 these are the 80 bits of a `Float80`, which holds all numbers, and 48 bits without a
/// meaning. On AArch64, where Swift has no such type, they are those of IEEE 754's binary128.
public struct LongDoubleBits: TypeEncodable, Sendable, BitwiseCopyable {
  /// The lower 64 bits.
  public var low: UInt64

  /// The upper 64 bits.
  public var high: UInt64

  /// The encoding `D`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.longDouble)) }

  /// Creates a number of its bits.
  public init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }
}
