/// A function, block or type that a text in C declares.
package struct CDeclaration {
  /// The kind of callee that a text declares.
  package enum Kind {
    case function, functionPointer, block, other
  }

  package let kind: Kind

  /// The name; nil if the declaration gives none.
  package let name: String?

  /// The function's or block's signature; nil for other types.
  package let signature: MethodSignature?

  /// The type's encoding; `?` for a function.
  package let encoding: TypeEncoding

  /// For a variadic function, how many arguments its declaration names.
  package let fixedArgumentCount: Int?

  /// Reads a text.
  ///
  /// - Throws: The errors of `TypeEncoding.init(declaration:types:)`.
  package init(_ text: String, types: [Any.Type] = []) throws(TypeEncodingError) {
    var parser = try DeclarationParser(text, types: types)
    defer { parser.end() }
    let result = try parser.result()
    let type = result.type
    name = result.name
    var (kind, function) = (Kind.other, DeclaredFunction?.none)
    switch type.shape {
    case .function(let declared): (kind, function) = (.function, declared)
    case .block(let declared): (kind, function) = (.block, declared)
    case .pointer(let pointee):
      if case .function(let declared) = pointee.shape {
        (kind, function) = (.functionPointer, declared)
      }
    default: break
    }
    self.kind = kind
    let isBlock = kind == .block
    fixedArgumentCount =
      function.flatMap { $0.isVariadic ? $0.parameters.count + (isBlock ? 1 : 0) : nil }
    do throws(LayoutRefusal) {
      var encoder = DeclaredTypeEncoder(registerBytes: parser.registerBytes)
      signature = try function.map { (function) throws(LayoutRefusal) in
        try encoder.signature(of: function, isBlock: isBlock)
      }
      encoding = try encoder.encoding(of: type, as: .outermost)
    } catch {
      throw error.asTypeEncodingError(input: text)
    }
  }

  /// The signature, or the error for a declaration of another type.
  package func requiredSignature(of text: String) throws(TypeEncodingError) -> MethodSignature {
    guard let signature else {
      throw TypeEncodingError(
        code: .noFunction,
        message: "this declares no function; write its result and parameters, as in "
          + "double pow(double, double)", input: text)
    }
    return signature
  }
}

extension TypeEncoding {
  /// Encodes the type that a text in C declares, as `@encode` does.
  ///
  /// The text may declare types before the last one, by `typedef`, `struct`, `union` and `enum`,
  /// each with a semicolon; nothing is kept for later texts. Known are C's own types, the integers
  /// of the system's headers, such as `size_t` and `pid_t`, `va_list`, `FILE`, and Objective-C's
  /// `id`, `Class` and `SEL`. Members keep their names, bit-fields their places, and blocks their
  /// signatures.
  ///
  /// - Parameters:
  ///   - declaration: The declaration, with or without a name: `const char *`,
  ///     `struct { int on : 1; void *owner; }`, `int (^)(int)`.
  ///   - types: Swift types that the text names as C would: `[Point.self]` for `Point` and
  ///     `struct Point`.
  /// - Throws: `unknownType`; `unsupportedDeclaration` for what C has and an encoding cannot say,
  ///   such as packed records; the codes of parsing an encoding and of `layout()`; the error of
  ///   `TypeEncoding.init(of:)` for a Swift type. The place is the byte in the text.
  public init(declaration: String, types: [Any.Type] = []) throws(TypeEncodingError) {
    self = try CDeclaration(declaration, types: types).encoding
  }
}

extension MethodSignature {
  /// The signature of the function or block that a text in C declares.
  ///
  /// A block has itself as argument 0. Of a variadic function the signature has the arguments that
  /// the declaration names.
  ///
  /// - Parameters:
  ///   - declaration: The declaration of a function, of a pointer to one or of a block, with or
  ///     without a name: `char *getenv(const char *)`, `int (*)(int)`, `void (^)(void)`.
  ///   - types: Swift types that the text names.
  /// - Throws: `noFunction`; the errors of `TypeEncoding.init(declaration:types:)`.
  public init(declaration: String, types: [Any.Type] = []) throws(TypeEncodingError) {
    self = try CDeclaration(declaration, types: types).requiredSignature(of: declaration)
  }
}
