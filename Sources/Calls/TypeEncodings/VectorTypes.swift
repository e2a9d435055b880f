// Vectors of the processor: C has them by `__attribute__((vector_size(16)))` and
// `ext_vector_type(4)`, Swift by `SIMD4` and its siblings.

extension EncodedType {
  /// Makes a vector of a given size in bytes.
  ///
  /// - Throws: `noLayout` if compilers have no such vector, or disagree about it.
  static func vector(
    bytes: Int, of element: PrimitiveType
  ) throws(LayoutRefusal) -> EncodedType {
    guard let size = element.vectorElementSize, bytes > 0, bytes <= 64, bytes % size == 0 else {
      throw LayoutRefusal(
        code: .noLayout,
        message:
          "no vector has \(bytes.of("byte")) of \(TypeEncoding(.primitive(element))): its elements are "
          + "integers of 1 to 8 bytes, float or double, and take 2 to 64 bytes together")
    }
    let count = bytes / size
    guard count == 3 || count > 1 && count.nonzeroBitCount == 1 else {
      throw LayoutRefusal(
        code: .noLayout,
        message: "a vector has 2, 3, 4, 8, 16, 32 or 64 elements, not \(count): compilers disagree "
          + "about others; pass it by pointer")
    }
    return .vector(count: count, element: element)
  }
}

extension PrimitiveType {
  /// The size of an element of a vector; nil if there are no vectors of the type.
  fileprivate var vectorElementSize: Int? {
    guard self == .float || self == .double || isInteger && self != .bool,
      let size = try? layout().size, size <= 8
    else { return nil }
    return size
  }
}

extension TypeEncoding {
  /// The elements of an array or a vector; nil for other types.
  package var listedElements: (count: Int, element: TypeEncoding)? {
    switch type {
    case .array(let count, let element): (count, element)
    case .vector(let count, let element): (count, TypeEncoding(.primitive(element)))
    default: nil
    }
  }
}

extension LayoutCalculation {
  /// The layout of a vector: its size is a power of two, which is also its alignment, except on
  /// AArch64, where none is aligned to more than 16 bytes.
  static func layout(
    ofVector count: Int, of element: PrimitiveType
  ) throws(LayoutRefusal) -> TypeLayout {
    let (bytes, overflow) = try element.layout().size.multipliedReportingOverflow(by: count)
    _ = try EncodedType.vector(bytes: overflow ? .max : bytes, of: element)
    let size = count == 3 ? bytes / 3 * 4 : bytes
    #if arch(arm64)
    return TypeLayout(size: size, alignment: min(size, 16))
    #else
    return TypeLayout(size: size, alignment: size)
    #endif
  }
}

extension EncodingParser {
  /// Reads a vector in gcc's notation, such as `![16,16f]`, or `![12,16f]` for three floats.
  ///
  /// The numbers are the size of the elements together, and the alignment.
  mutating func vector() throws(TypeEncodingError) -> EncodedType {
    let start = position
    position += 1
    try expect(Ascii.openBracket, in: "a vector")
    let bytes = try number("a vector's size")
    try expect(Ascii.comma, in: "a vector")
    let alignment = try number("a vector's alignment")
    guard let byte = next, let element = PrimitiveType(rawValue: byte) else {
      throw error(.unexpectedCharacter, "a vector's elements must be numbers")
    }
    position += 1
    try expect(Ascii.closeBracket, closing: "a vector")
    do throws(LayoutRefusal) {
      let type = try EncodedType.vector(bytes: bytes, of: element)
      let expected = try LayoutCalculation.layout(of: TypeEncoding(type)).alignment
      guard alignment == expected else {
        throw LayoutRefusal(
          code: .noLayout, message: "such a vector is aligned to \(expected.of("byte"))")
      }
      return type
    } catch { throw self.error(error.code, error.message, at: start) }
  }

  private mutating func expect(
    _ byte: UInt8, in construct: String
  ) throws(TypeEncodingError) {
    guard !skip(byte) else { return }
    throw error(
      next == nil ? .unexpectedEnd : .unexpectedCharacter,
      "\(construct) is written as ![bytes,alignment and the elements' type], as in ![16,16f]")
  }
}

// MARK: - Swift's types

extension TypeEncodable where Self: SIMD, Scalar: TypeEncodable {
  /// The encoding of the vector, such as `![16,16f]`; `?` if C has no vectors of the scalar type.
  public static var typeEncoding: TypeEncoding {
    guard case .primitive(let element) = Scalar.typeEncoding.type,
      let size = element.vectorElementSize,
      let vector = try? EncodedType.vector(bytes: size * scalarCount, of: element)
    else { return TypeEncoding(.unknown) }
    return TypeEncoding(vector)
  }
}

extension SIMD2: TypeEncodable where Scalar: TypeEncodable {}
extension SIMD3: TypeEncodable where Scalar: TypeEncodable {}
extension SIMD4: TypeEncodable where Scalar: TypeEncodable {}
extension SIMD8: TypeEncodable where Scalar: TypeEncodable {}
extension SIMD16: TypeEncodable where Scalar: TypeEncodable {}
extension SIMD32: TypeEncodable where Scalar: TypeEncodable {}
extension SIMD64: TypeEncodable where Scalar: TypeEncodable {}
