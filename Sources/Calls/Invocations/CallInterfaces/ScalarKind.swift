internal import TypeEncodings

/// The C types that have the memory of one Swift number, and so are read and written without
/// conversion.
@usableFromInline
package enum ScalarKind: UInt8, Sendable {
  case none, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double, pointer

  /// The kind of a Swift type: a constant for the optimiser if the type is known.
  @inlinable
  @inline(__always)
  static func of<Value>(_ type: Value.Type) -> ScalarKind {
    if Value.self == Int32.self { return .int32 }
    if Value.self == Double.self { return .double }
    if Value.self == Int.self || Value.self == Int64.self { return .int64 }
    // SAFETY: types are only compared.
    if unsafe Value.self == UnsafeMutableRawPointer?.self || Value.self == UnsafeRawPointer?.self {
      return .pointer
    }
    if Value.self == UInt.self || Value.self == UInt64.self { return .uint64 }
    if Value.self == UInt32.self { return .uint32 }
    if Value.self == Float.self { return .float }
    if Value.self == Int8.self { return .int8 }
    if Value.self == UInt8.self { return .uint8 }
    if Value.self == Int16.self { return .int16 }
    if Value.self == UInt16.self { return .uint16 }
    return .none
  }

  /// Writes a value; a number is widened to eight bytes, as a register holds it.
  ///
  /// Widening is faster too: a store of fewer bytes would delay the call's load of eight bytes.
  ///
  /// ## Safety
  /// There must be eight bytes at the address, or as many as a larger `Value` has.
  @unsafe
  @inlinable
  @inline(__always)
  static func store<Value>(_ value: Value, at address: UnsafeMutableRawPointer) {
    // SAFETY: each cast is to the type that the value has; the caller vouches for the address.
    if Value.self == Int32.self {
      unsafe address.storeBytes(of: Int64(unsafeBitCast(value, to: Int32.self)), as: Int64.self)
    } else if Value.self == UInt32.self {
      unsafe address.storeBytes(of: UInt64(unsafeBitCast(value, to: UInt32.self)), as: UInt64.self)
    } else if Value.self == Float.self {
      let bits = unsafe unsafeBitCast(value, to: Float.self).bitPattern
      unsafe address.storeBytes(of: UInt64(bits), as: UInt64.self)
    } else if Value.self == Int8.self {
      unsafe address.storeBytes(of: Int64(unsafeBitCast(value, to: Int8.self)), as: Int64.self)
    } else if Value.self == UInt8.self {
      unsafe address.storeBytes(of: UInt64(unsafeBitCast(value, to: UInt8.self)), as: UInt64.self)
    } else if Value.self == Int16.self {
      unsafe address.storeBytes(of: Int64(unsafeBitCast(value, to: Int16.self)), as: Int64.self)
    } else if Value.self == UInt16.self {
      unsafe address.storeBytes(of: UInt64(unsafeBitCast(value, to: UInt16.self)), as: UInt64.self)
    } else {
      unsafe address.storeBytes(of: value, as: Value.self)
    }
  }

  /// The kind of a Swift type.
  package init(of type: Any.Type) {
    self = Self.kinds[ObjectIdentifier(type)] ?? .none
  }

  private static let kinds: [ObjectIdentifier: ScalarKind] = [
    ObjectIdentifier(Int8.self): .int8, ObjectIdentifier(UInt8.self): .uint8,
    ObjectIdentifier(Int16.self): .int16, ObjectIdentifier(UInt16.self): .uint16,
    ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(UInt32.self): .uint32,
    ObjectIdentifier(Int64.self): .int64, ObjectIdentifier(UInt64.self): .uint64,
    ObjectIdentifier(Int.self): .int64, ObjectIdentifier(UInt.self): .uint64,
    ObjectIdentifier(Float.self): .float, ObjectIdentifier(Double.self): .double,
  ]

  /// How many bytes a number of the kind has.
  package var byteCount: Int {
    switch self {
    case .none: 0
    case .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double, .pointer: 8
    }
  }

  /// The kind of an encoded type.
  init(_ encoding: TypeEncoding) {
    self =
      switch encoding.kind {
      case .int8: .int8
      case .uint8: .uint8
      case .int16: .int16
      case .uint16: .uint16
      case .int32: .int32
      case .uint32: .uint32
      case .int64: .int64
      case .uint64: .uint64
      case .float: .float
      case .double: .double
      case .pointer, .functionPointer, .class, .selector: .pointer
      default: .none
      }
  }
}
