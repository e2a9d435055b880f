public import BlockABI

/// A C value described at run time, for calls whose types no Swift source names.
public enum BoxedValue {
  /// No value: the result of a void function.
  case void
  /// A truth value, `B`.
  case bool(Bool)
  /// An integer of any width up to 128 bits, except unsigned ones beyond `Int128.max`.
  case integer(Int128)
  /// An unsigned 128-bit integer.
  case unsignedInteger(UInt128)
  /// A `float`.
  case float(Float)
  /// A `double`.
  case double(Double)
  /// A `long double`.
  case longDouble(LongDouble)
  /// A complex number of any precision.
  case complex(real: LongDouble, imaginary: LongDouble)
  /// A C string in UTF-8, or nil for a null pointer.
  case cString(String?)
  /// The bytes of a C string that is not UTF-8, or of a union in memory order.
  case bytes([UInt8])
  /// Any other pointer, as its address; 0 is null.
  case pointer(UInt)
  /// An object, or nil.
  case object(AnyObject?)
  /// A block, or nil.
  case block(Block?)
  /// A structure's members in order, without bit-fields of zero width.
  case structure([BoxedValue])
  /// An array's elements.
  case array([BoxedValue])
  /// One member of a union, by its index; only to be written, since memory does not tell which.
  indirect case member(index: Int, value: BoxedValue)
}

extension BoxedValue: Equatable {
  /// Whether both are the same case with equal values; objects are compared by identity.
  public static func == (left: BoxedValue, right: BoxedValue) -> Bool {
    switch (left, right) {
    case (.void, .void): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.unsignedInteger(let left), .unsignedInteger(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.longDouble(let left), .longDouble(let right)): left == right
    case (.complex(let left, let leftImaginary), .complex(let right, let rightImaginary)):
      left == right && leftImaginary == rightImaginary
    case (.cString(let left), .cString(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.pointer(let left), .pointer(let right)): left == right
    case (.object(let left), .object(let right)): left === right
    case (.block(let left), .block(let right)): left == right
    case (.structure(let left), .structure(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.member(let left, let leftValue), .member(let right, let rightValue)):
      left == right && leftValue == rightValue
    default: false
    }
  }
}

extension BoxedValue {
  /// Boxes an integer of any type.
  ///
  /// - Parameter value: From `Int128.min` to `UInt128.max`; what lies beyond is truncated.
  public init(_ value: some BinaryInteger) {
    self =
      Int128(exactly: value).map(BoxedValue.integer)
      ?? .unsignedInteger(UInt128(truncatingIfNeeded: value))
  }

  /// Boxes a double.
  public init(_ value: Double) { self = .double(value) }

  /// Boxes a C string.
  public init(_ text: String) { self = .cString(text) }

  /// Boxes a truth value.
  public init(_ value: Bool) { self = .bool(value) }
}

extension BoxedValue: ExpressibleByIntegerLiteral {
  /// Boxes an integer.
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
}

extension BoxedValue: ExpressibleByFloatLiteral {
  /// Boxes a double.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension BoxedValue: ExpressibleByStringLiteral {
  /// Boxes a C string.
  public init(stringLiteral value: String) { self = .cString(value) }
}

extension BoxedValue: ExpressibleByBooleanLiteral {
  /// Boxes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}
