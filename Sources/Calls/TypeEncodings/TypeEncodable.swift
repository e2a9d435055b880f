/// A Swift type that names the encoding of the C type it stands for.
///
/// Conform a type for which reflection cannot find the encoding, such as an imported union.
///
/// The corresponding Objective-C construct is `@encode(type)`.
public protocol TypeEncodable {
  /// The encoding of the C type that has this type's representation.
  static var typeEncoding: TypeEncoding { get }
}

extension TypeEncodable where Self: FixedWidthInteger {
  /// The integer encoding of the type's width and sign.
  public static var typeEncoding: TypeEncoding {
    let type: PrimitiveType =
      switch (Self.bitWidth, Self.isSigned) {
      case (8, true): .int8
      case (8, false): .uint8
      case (16, true): .int16
      case (16, false): .uint16
      case (32, true): .int32
      case (32, false): .uint32
      case (64, true): .int64
      case (64, false): .uint64
      case (128, true): .int128
      case (128, false): .uint128
      default: .blank
      }
    return TypeEncoding(.primitive(type))
  }
}

extension Int8: TypeEncodable {}
extension Int16: TypeEncodable {}
extension Int32: TypeEncodable {}
extension Int64: TypeEncodable {}
extension Int128: TypeEncodable {}
extension Int: TypeEncodable {}
extension UInt8: TypeEncodable {}
extension UInt16: TypeEncodable {}
extension UInt32: TypeEncodable {}
extension UInt64: TypeEncodable {}
extension UInt128: TypeEncodable {}
extension UInt: TypeEncodable {}

extension Bool: TypeEncodable {
  /// The encoding `B`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.bool)) }
}

extension Float: TypeEncodable {
  /// The encoding `f`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.float)) }
}

extension Double: TypeEncodable {
  /// The encoding `d`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.double)) }
}

#if arch(x86_64)
extension Float80: TypeEncodable {
  /// The encoding `D`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.longDouble)) }
}
#endif
