extension DeclarationParser {
  /// Reads one `__attribute__((…))`, if one comes next.
  ///
  /// - Parameter makesVectors: Whether an attribute may make a vector of the type; the caller then
  ///   does so by `withVectorAttribute`.
  /// - Returns: Whether there was one.
  /// - Throws: `unsupportedDeclaration` for an attribute that changes how a value is laid out or
  ///   passed, or that is not known.
  mutating func skipAttributes(makesVectors: Bool = false) throws(TypeEncodingError) -> Bool {
    guard skip(word: "__attribute__") || skip(word: "__attribute") else { return false }
    try expect("(", "__attribute__")
    try expect("(", "__attribute__")
    while !skip(mark: ")") {
      if skip(mark: ",") { continue }
      guard case .word(let word) = token.kind else {
        throw error(.unexpectedCharacter, "an attribute's name must stand here, not \(token)")
      }
      let name =
        word.hasPrefix("__") && word.hasSuffix("__") && word.utf8.count > 4
        ? String(word.dropFirst(2).dropLast(2)) : word
      if makesVectors, name == "vector_size" || name == "ext_vector_type" {
        try readVectorAttribute(countsElements: name == "ext_vector_type")
        continue
      }
      if name == "abi" {
        try readAbi()
        continue
      }
      guard Self.harmlessAttributes.contains(name) else {
        throw error(
          .unsupportedDeclaration,
          Self.layoutAttributes.contains(name)
            ? "the attribute \(name) changes how values are laid out or passed, which no encoding "
              + "says; pass the value by pointer"
            : "the attribute \(name) is not known; leave it out if it does not change how values are "
              + "passed")
      }
      advance()
      if skip(mark: "(") { try skipArguments() }
    }
    try expect(")", "__attribute__")
    return true
  }

  /// Reads `abi("avx")` or `abi("avx512")`, this library's own attribute: the function was compiled
  /// with `-mavx` or `-mavx512f`.
  private mutating func readAbi() throws(TypeEncodingError) {
    advance()
    try expect("(", "the attribute abi")
    #if arch(x86_64)
    let known = ["avx": 32, "avx512": 64]
    #else
    let known: [String: Int] = [:]
    #endif
    guard case .text(let name) = token.kind, let bytes = known[name] else {
      throw error(
        .unsupportedDeclaration,
        "\(token) is not known; x86-64 has abi(\"avx\") and abi(\"avx512\"), and other processors none"
      )
    }
    registerBytes = bytes
    advance()
    try expect(")", "the attribute abi")
  }

  /// An attribute that makes a vector of the type before it.
  struct VectorAttribute {
    let token: CToken
    let number: Int128
    let countsElements: Bool
  }

  private mutating func readVectorAttribute(countsElements: Bool) throws(TypeEncodingError) {
    let start = token
    advance()
    try expect("(", "the attribute \(start)")
    let number = try constant().value
    try expect(")", "the attribute \(start)")
    guard vectorAttribute == nil else { throw misplaced(start) }
    vectorAttribute = VectorAttribute(
      token: start, number: number, countsElements: countsElements)
  }

  private func misplaced(_ token: CToken) -> TypeEncodingError {
    error(
      .unsupportedDeclaration,
      "\(token) must stand once, behind a number's type or a name of that type; write a typedef, as "
        + "in typedef float float4 __attribute__((vector_size(16)))", at: token)
  }

  /// Refuses an attribute for vectors that stands before another type's specifiers.
  func refuseVectorAttribute() throws(TypeEncodingError) {
    if let vectorAttribute { throw misplaced(vectorAttribute.token) }
  }

  /// The vector that the attributes read last make of a type; the type itself if there are none.
  mutating func withVectorAttribute(
    _ type: DeclaredType
  ) throws(TypeEncodingError) -> DeclaredType {
    guard let attribute = vectorAttribute else { return type }
    guard case .primitive(let element) = type.shape, !type.isAtomic else {
      throw misplaced(attribute.token)
    }
    vectorAttribute = nil
    do throws(LayoutRefusal) {
      let size = attribute.countsElements ? try type.layout().size : 1
      // A number that is too large stays too large.
      let bytes = Int(clamping: attribute.number).multipliedReportingOverflow(by: size)
      var vector = DeclaredType(
        .encoded(
          TypeEncoding(
            try .vector(bytes: bytes.overflow ? .max : bytes.partialValue, of: element))))
      vector.isConstant = type.isConstant
      return vector
    } catch { throw self.error(error, at: attribute.token) }
  }

  /// Goes on behind the parenthesis that closes an attribute's arguments.
  private mutating func skipArguments() throws(TypeEncodingError) {
    var open = 1
    while open > 0 {
      guard token.kind != .end else {
        throw error(.unexpectedEnd, "the attribute is not closed; add )")
      }
      if token.kind == .mark("(") { open += 1 }
      if token.kind == .mark(")") { open -= 1 }
      advance()
    }
  }

  /// Attributes that concern only the compiler of a call, and not how values are passed.
  private static let harmlessAttributes: Set = [
    "access", "alloc_align", "alloc_size", "always_inline", "assume_aligned", "cold", "const",
    "deprecated", "fd_arg", "format", "format_arg", "gnu_inline", "hot", "leaf", "malloc",
    "may_alias", "noescape", "noinline", "nonnull", "noreturn", "nothrow",
    "null_terminated_string_arg", "pure",
    "returns_nonnull", "returns_twice", "sentinel", "unused", "used", "visibility",
    "warn_unused_result", "weak",
  ]

  private static let layoutAttributes: Set = [
    "aarch64_vector_pcs", "aligned", "ext_vector_type", "fastcall", "gcc_struct", "mode", "ms_abi",
    "ms_struct", "neon_vector_type", "packed", "pcs", "preserve_all", "preserve_most", "regparm",
    "scalar_storage_order", "stdcall", "swiftasynccall", "swiftcall", "sysv_abi",
    "transparent_union", "vector_size", "vectorcall", "warn_if_not_aligned",
  ]
}
