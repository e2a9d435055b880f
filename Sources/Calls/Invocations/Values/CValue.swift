public import BlockABI

/// A C value whose type is known at run time only.
///
/// Calls, recordings, memoizing hooks and messages take and return such values where no Swift
/// source names the types. A value is read from memory by `init(at:as:)`, and written to it by
/// `store(at:as:)`.
public enum CValue {
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
  /// A class, or nil.
  case `class`(AnyClass?)
  /// A block, or nil.
  case block(Block?)
  /// A structure's members in order, without bit-fields of zero width.
  case structure([CValue])
  /// The elements of an array or a vector.
  case array([CValue])
  /// One member of a union, by its index; only to be written, since memory does not tell which.
  indirect case member(index: Int, value: CValue)
  /// A value of which only a text is known, such as a pointer in a recording.
  case opaque(OpaqueValue)
}

/// A value of which only a text is known.
public struct OpaqueValue: Hashable, Sendable {
  private let description: String?

  /// The bytes that a codec wrote for the value; nil if none did.
  package let encoded: [UInt8]?

  /// The text that describes the value.
  public var text: String { description ?? "encoded(\((encoded ?? []).hexadecimal))" }

  /// Describes a value.
  ///
  /// - Parameter text: The text.
  public init(text: String) {
    description = text
    encoded = nil
  }

  package init(encoded bytes: [UInt8], text: String? = nil) {
    description = text
    encoded = bytes
  }
}

extension CValue: Equatable {
  /// Whether both are the same case with equal values; objects are compared by identity.
  public static func == (left: CValue, right: CValue) -> Bool {
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
    case (.class(let left), .class(let right)): left == right
    case (.block(let left), .block(let right)): left == right
    case (.structure(let left), .structure(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.member(let left, let leftValue), .member(let right, let rightValue)):
      left == right && leftValue == rightValue
    case (.opaque(let left), .opaque(let right)): left == right
    default: false
    }
  }
}

extension CValue: CustomStringConvertible {
  /// The value without its type.
  public var description: String {
    switch self {
    case .void: "void"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsignedInteger(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .longDouble(let value): "\(value)"
    case .complex(let real, let imaginary): "\(real)\(imaginary < 0 ? "" : "+")\(imaginary)i"
    case .cString(let text): text.map { "\($0.debugDescription)" } ?? "null"
    case .bytes(let bytes): "bytes(\(bytes.hexadecimal))"
    case .pointer(0): "null"
    case .pointer(let address): "pointer 0x\(String(address, radix: 16))"
    case .object(let object): object.map { "object \(type(of: $0))" } ?? "null"
    case .class(let type): type.map { "class \($0)" } ?? "null"
    case .block(let block): block.map { "\($0)" } ?? "null"
    case .structure(let members): "{\(members.map(\.description).joined(separator: ", "))}"
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .member(let index, let value): "member \(index): \(value)"
    case .opaque(let value): value.text
    }
  }

  /// Whether the value is a null pointer of any kind.
  public var isNull: Bool {
    switch self {
    case .cString(nil), .object(nil), .class(nil), .block(nil), .pointer(0): true
    default: false
    }
  }
}

extension [UInt8] {
  /// Two digits for each byte.
  fileprivate var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension CValue {
  /// Creates an integer of any type.
  ///
  /// - Parameter value: From `Int128.min` to `UInt128.max`; what lies beyond is truncated.
  public init(_ value: some BinaryInteger) {
    self =
      Int128(exactly: value).map(CValue.integer)
      ?? .unsignedInteger(UInt128(truncatingIfNeeded: value))
  }

  /// Creates a double.
  public init(_ value: Double) { self = .double(value) }

  /// Creates a C string.
  public init(_ text: String) { self = .cString(text) }

  /// Creates a truth value.
  public init(_ value: Bool) { self = .bool(value) }
}

extension CValue: ExpressibleByIntegerLiteral {
  /// Creates an integer.
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
}

extension CValue: ExpressibleByFloatLiteral {
  /// Creates a double.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension CValue: ExpressibleByStringLiteral {
  /// Creates a C string.
  public init(stringLiteral value: String) { self = .cString(value) }
}

extension CValue: ExpressibleByBooleanLiteral {
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}
