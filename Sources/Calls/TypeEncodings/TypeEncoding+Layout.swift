extension TypeEncoding {
  /// The size, alignment and member offsets that the C compiler gives the type.
  ///
  /// The corresponding Objective-C function is `NSGetSizeAndAlignment`.
  ///
  /// - Returns: The layout on this platform; a bit-field's declared type is the one that the
  ///   encoding names.
  /// - Throws: `noLayout` (void, functions, bit-fields outside records, opaque records, atomic
  ///   records), `vanishedType`, `ambiguousLayout` (bit-fields without declared type),
  ///   `packedRecord` (bit-fields at other positions than C would give them) and `sizeOverflow`.
  public func layout() throws(TypeEncodingError) -> TypeLayout {
    do throws(LayoutRefusal) {
      return try LayoutCalculation.layout(of: self)
    } catch {
      throw error.asTypeEncodingError(input: description)
    }
  }
}

/// The reason why a type has no layout, before it is known which text the error belongs to.
final class LayoutRefusal: Error {
  let code: ErrorCode
  let message: String

  init(code: ErrorCode, message: String) {
    self.code = code
    self.message = message
  }

  /// The public error, with the position in a signature before the message.
  func asTypeEncodingError(input: String, place: String = "") -> TypeEncodingError {
    TypeEncodingError(code: code, message: place + message, input: input)
  }
}

/// Computes C layouts by the rules of the System V ABI.
enum LayoutCalculation {
  /// The layout of a type by itself or as a record's member.
  static func layout(of encoding: TypeEncoding) throws(LayoutRefusal) -> TypeLayout {
    let plain = try layout(of: encoding.type)
    guard encoding.qualifiers.contains(.atomic) else { return plain }
    return try atomicLayout(of: encoding.type, plain: plain)
  }

  private static func layout(of type: EncodedType) throws(LayoutRefusal) -> TypeLayout {
    switch type {
    case .primitive(let primitive): return try primitive.layout()
    case .object, .block, .pointer: return TypeLayout(size: 8, alignment: 8)
    case .complex(let part):
      let layout = try part.layout()
      return TypeLayout(size: 2 * layout.size, alignment: layout.alignment)
    case .vector(let count, let element): return try layout(ofVector: count, of: element)
    case .array(let count, let element):
      let layout = try layout(of: element)
      let (size, overflow) = layout.size.multipliedReportingOverflow(by: count)
      guard !overflow, size <= RecordLayout.maximumSize else { throw RecordLayout.overflow }
      return TypeLayout(size: size, alignment: layout.alignment)
    case .structure(let record): return try layout(of: record, isUnion: false)
    case .union(let record): return try layout(of: record, isUnion: true)
    case .bitField:
      throw LayoutRefusal(
        code: .noLayout, message: "a bit-field has a place only inside its record; encode that")
    case .unknown:
      throw LayoutRefusal(
        code: .noLayout, message: "a function or unknown type (?) has no size; use a pointer (^?)")
    case .vanished:
      throw LayoutRefusal(
        code: .vanishedType,
        message:
          "the encoding leaves out a type here, as clang does for vectors; give its declaration "
          + "in C, or pass it by pointer")
    }
  }

  /// The layout of an atomic type: scalars of up to 16 bytes grow to a power of two, which is also
  /// their alignment.
  private static func atomicLayout(
    of type: EncodedType, plain: TypeLayout
  ) throws(LayoutRefusal) -> TypeLayout {
    switch type {
    case .structure, .union, .array:
      throw LayoutRefusal(
        code: .noLayout, message: "an atomic record's encoding hides its padding; use a pointer")
    default:
      guard plain.size <= 16 else { return plain }
      var size = 1
      while size < plain.size { size *= 2 }
      return TypeLayout(size: size, alignment: size)
    }
  }

  private static func layout(
    of record: RecordEncoding, isUnion: Bool
  ) throws(LayoutRefusal) -> TypeLayout {
    guard let fields = record.fields else {
      throw LayoutRefusal(
        code: .noLayout,
        message: "the record's members are not listed; write them behind \(record.tag)=")
    }
    var result = RecordLayout(isUnion: isUnion)
    for field in fields {
      if case .bitField(let bitField) = field.encoding.type {
        try place(bitField, isNamed: record.tellsName(of: field), in: &result)
      } else {
        try result.append(try layout(of: field.encoding))
      }
    }
    return try result.finished()
  }

  /// Places a bit-field by its declared type.
  static func place(
    _ bitField: BitFieldEncoding, isNamed: Bool?, in record: inout RecordLayout
  ) throws(LayoutRefusal) {
    guard let placement = bitField.placement else {
      throw LayoutRefusal(
        code: .ambiguousLayout,
        message: "the bit-field b\(bitField.width) does not say its declared type; "
          + "write it as b<offset><type><width>, or pass the record by pointer")
    }
    try record.append(
      bitsOf: try placement.base.layout(), width: bitField.width,
      expectedOffset: placement.bitOffset, isNamed: isNamed)
  }
}

extension PrimitiveType {
  /// The C compiler's size and alignment of the type.
  func layout() throws(LayoutRefusal) -> TypeLayout {
    let size =
      switch self {
      case .bool, .int8, .uint8: 1
      case .int16, .uint16: 2
      case .int32, .uint32, .long32, .unsignedLong32, .float: 4
      case .int64, .uint64, .double, .cString, .classObject, .selector: 8
      case .int128, .uint128, .longDouble: 16
      case .void:
        throw LayoutRefusal(code: .noLayout, message: "void has no size; use a pointer (^v)")
      case .blank:
        throw LayoutRefusal(
          code: .noLayout,
          message: "the compiler writes _Float16, __bf16 and __float128 alike; use a pointer")
      }
    return TypeLayout(size: size, alignment: size)
  }
}
