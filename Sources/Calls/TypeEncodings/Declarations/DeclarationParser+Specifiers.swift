private import BlockRuntimeSuggestions

extension DeclarationParser {
  /// Reads what stands before a declarator: the type's name and its qualifiers.
  mutating func specifiers() throws(TypeEncodingError) -> DeclaredType {
    try refuseVectorAttribute()
    let start = token
    var words: [String: Int] = [:]
    var named: DeclaredType?
    var qualifiers = Qualifiers()
    while case .word(let word) = token.kind {
      if try skipQualifier(&qualifiers) || skipStorageClass() { continue }
      if let plain = Self.arithmeticWords[word] ?? (isComplexWord(beside: words) ? "complex" : nil)
      {
        guard named == nil else { break }
        words[plain, default: 0] += 1
        advance()
      } else if named != nil || !words.isEmpty {
        break
      } else {
        named = try namedType(word)
      }
    }
    let arithmetic = try arithmeticType(words, from: start)
    guard let base = named ?? arithmetic else {
      throw error(
        token.kind == .end ? .unexpectedEnd : .unexpectedCharacter,
        "a type must stand here, not \(token)")
    }
    return try withVectorAttribute(base).qualified(by: qualifiers)
  }

  /// Whether `complex`, which is a macro, stands beside a floating-point type.
  private func isComplexWord(beside words: [String: Int]) -> Bool {
    token.kind == .word("complex")
      && (words["double"] != nil || words["float"] != nil
        || ["double", "float", "long"].contains { tokens[index + 1].kind == .word($0) })
  }

  /// Whether a type begins at a token.
  func typeBegins(at index: Int) -> Bool {
    guard case .word(let word) = tokens[index].kind else { return false }
    if case .type = meaning(of: word) { return true }
    return Self.arithmeticWords[word] != nil || Self.constantWords.contains(word)
      || Self.ignoredWords.contains(word)
      || Self.storageClasses.contains(word)
      || [
        "struct", "union", "enum", "_Atomic", "__attribute__", "__attribute", "typeof",
        "__typeof__", "__typeof",
      ].contains(word)
  }

  /// The meaning of an identifier: the text's own declarations come before the known types.
  func meaning(of word: String) -> Meaning? {
    meanings[word] ?? KnownCTypes.type(named: word).map { .type($0) }
  }

  /// The type that a word names, or that begins with it.
  private mutating func namedType(_ word: String) throws(TypeEncodingError) -> DeclaredType {
    switch word {
    case "struct", "union": return try record(isUnion: word == "union")
    case "enum": return try enumeration()
    case "_Atomic", "typeof", "__typeof__", "__typeof":
      // `_Atomic` without a parenthesis is a qualifier.
      advance()
      try expect("(", word)
      var type = try typeName()
      if word == "_Atomic" { type.isAtomic = true }
      try expect(")", word)
      return type
    default: break
    }
    guard case .type(let type) = meaning(of: word) else { throw unknownType(word) }
    advance()
    return type
  }

  private func unknownType(_ word: String) -> TypeEncodingError {
    if let reason = Self.refusedWords[word] {
      return error(.unsupportedDeclaration, "\(word): \(reason)")
    }
    let known =
      Array(Self.arithmeticWords.keys) + tags.keys + meanings.keys + KnownCTypes.names
    let guess =
      Suggestion.nearest(to: word, in: known).map { "did you mean \($0)? Otherwise " } ?? ""
    return error(
      .unknownType,
      "no type \(word) is known; \(guess)declare it in the same text by a typedef, pass its Swift type "
        + "in types, or leave it out if it is a macro")
  }

  /// The type's name and an abstract declarator, as in `sizeof(int *)`.
  mutating func typeName() throws(TypeEncodingError) -> DeclaredType {
    try descend()
    defer { depth -= 1 }
    let base = try specifiers()
    let declared = try declarator(of: base)
    guard declared.name == nil else {
      throw error(.unexpectedCharacter, "a type without a name must stand before \(token)")
    }
    return declared.type
  }

  // MARK: - Qualifiers

  /// The qualifiers that make a difference.
  struct Qualifiers {
    var isConstant = false
    var isAtomic = false
  }

  private static let constantWords: Set = ["const", "__const", "__const__"]

  private static let ignoredWords: Set = [
    "volatile", "__volatile", "__volatile__", "restrict", "__restrict", "__restrict__", "_Nonnull",
    "_Nullable", "_Null_unspecified", "__extension__",
  ]

  /// Reads one qualifier or attribute, if one comes next.
  mutating func skipQualifier(
    _ qualifiers: inout Qualifiers
  ) throws(TypeEncodingError) -> Bool {
    guard case .word(let word) = token.kind else { return false }
    if Self.constantWords.contains(word) {
      qualifiers.isConstant = true
      advance()
    } else if Self.ignoredWords.contains(word) {
      advance()
    } else if word == "_Atomic", tokens[index + 1].kind != .mark("(") {
      qualifiers.isAtomic = true
      advance()
    } else {
      return try skipAttributes(makesVectors: true)
    }
    return true
  }

  private static let storageClasses: Set = [
    "extern", "static", "register", "inline", "__inline", "__inline__", "_Noreturn",
  ]

  private mutating func skipStorageClass() -> Bool {
    guard case .word(let word) = token.kind, Self.storageClasses.contains(word) else {
      return false
    }
    advance()
    return true
  }

  // MARK: - Arithmetic types

  private static let arithmeticWords = [
    "void": "void", "char": "char", "short": "short", "int": "int", "long": "long",
    "signed": "signed", "__signed": "signed", "__signed__": "signed", "unsigned": "unsigned",
    "float": "float", "double": "double", "_Bool": "bool", "bool": "bool",
    "_Complex": "complex", "__complex": "complex", "__complex__": "complex",
    "__int128": "int128", "_Float32": "float", "_Float64": "double",
  ]

  private static let refusedWords = [
    "_Float16": "no encoding names it; pass a pointer to it",
    "__fp16": "no encoding names it; pass a pointer to it",
    "__bf16": "no encoding names it; pass a pointer to it",
    "_Float128": "no encoding names it; pass a pointer to it",
    "__float128": "no encoding names it; pass a pointer to it",
    "_Float32x": "write double", "_Float64x": "write long double",
    "_Decimal32": "decimal numbers have no type in Swift; pass a pointer",
    "_Decimal64": "decimal numbers have no type in Swift; pass a pointer",
    "_Decimal128": "decimal numbers have no type in Swift; pass a pointer",
    "_BitInt": "integers of other widths have no type in Swift; pass a pointer",
    "_Alignas": "an encoding does not hold an alignment; pass the record by pointer",
    "alignas": "an encoding does not hold an alignment; pass the record by pointer",
    "auto": "write the type", "_Thread_local": "a variable is no function; leave it out",
    "__auto_type": "write the type", "class": "this is C++; write struct",
    "template": "templates are C++; declare the function that they make",
    "namespace": "namespaces are C++; use the symbol's name",
    "typedef": "a typedef must begin its declaration",
  ]

  /// The type of words in any order, such as `long unsigned int`; nil if there are none.
  private func arithmeticType(
    _ words: [String: Int], from start: CToken
  ) throws(TypeEncodingError) -> DeclaredType? {
    guard !words.isEmpty else { return nil }
    var words = words
    let isComplex = words.removeValue(forKey: "complex") != nil
    let isUnsigned = words["unsigned"] == 1
    let isSigned = words["signed"] == 1
    let longs = words["long"] ?? 0
    let others = words.filter { !["unsigned", "signed", "long", "int"].contains($0.key) }
    let hasInt = words["int"] == 1
    let isPlain = !isUnsigned && !isSigned && !hasInt
    let type: PrimitiveType? =
      switch (others.first?.key, longs) {
      case ("void", 0) where isPlain: .void
      case ("bool", 0) where isPlain: .bool
      case ("float", 0) where isPlain: .float
      case ("double", 0) where isPlain: .double
      case ("double", 1) where isPlain: .longDouble
      case ("char", 0) where !hasInt:
        isSigned ? .int8 : isUnsigned ? .uint8 : KnownCTypes.character
      case ("short", 0): isUnsigned ? .uint16 : .int16
      case ("int128", 0) where !hasInt: isUnsigned ? .uint128 : .int128
      // `_Complex` alone is a complex double, as GNU C has it.
      case (nil, 0) where isComplex && isPlain: .double
      case (nil, 0): isUnsigned ? .uint32 : .int32
      case (nil, 1), (nil, 2): isUnsigned ? .uint64 : .int64
      default: nil
      }
    let isOnce = words.allSatisfy { $0.value == 1 || $0.key == "long" }
    guard let type, others.count <= 1, isOnce, !(isSigned && isUnsigned),
      !isComplex || ![.void, .bool].contains(type)
    else { throw error(.unknownType, "these words make no type of C together", at: start) }
    return DeclaredType(isComplex ? .complex(type) : .primitive(type))
  }
}

extension DeclaredType {
  /// The type with qualifiers added; the qualifiers of an array are those of its elements.
  func qualified(by qualifiers: DeclarationParser.Qualifiers) -> DeclaredType {
    guard qualifiers.isConstant || qualifiers.isAtomic else { return self }
    if case .array(let count, let element) = shape {
      return DeclaredType(.array(count: count, element.qualified(by: qualifiers)))
    }
    var copy = self
    copy.isConstant = isConstant || qualifiers.isConstant
    copy.isAtomic = isAtomic || qualifiers.isAtomic
    return copy
  }
}
