extension DeclarationParser {
  /// A step from a declarator's base type to its type, from the inside outwards.
  private enum Modifier {
    case pointer(Qualifiers)
    case block(Qualifiers)
    case array(count: Int?)
    case function(parameters: [DeclaredType], isVariadic: Bool)
  }

  /// A name with the type that its declarator makes of a base type.
  struct Declared {
    let name: String?
    let type: DeclaredType
  }

  /// Reads a declarator, which may have no name: `*name[3]`, `(*)(int)`, or nothing.
  mutating func declarator(of base: DeclaredType) throws(TypeEncodingError) -> Declared {
    let start = token
    let (name, modifiers) = try modifiers()
    var type = base
    for modifier in modifiers { type = try self.type(modifier, of: type, at: start) }
    return Declared(name: name, type: try withVectorAttribute(type))
  }

  private mutating func modifiers() throws(TypeEncodingError) -> (String?, [Modifier]) {
    var modifiers: [Modifier] = []
    while true {
      let isBlock = token.kind == .mark("^")
      if skip(mark: "*") || skip(mark: "^") {
        var qualifiers = Qualifiers()
        while try skipQualifier(&qualifiers) {}
        modifiers.append(isBlock ? .block(qualifiers) : .pointer(qualifiers))
      } else if token.kind == .mark("&") || token.kind == .mark("&&") {
        throw error(
          .unsupportedDeclaration, "references are C++; write a pointer, as they are passed")
      } else if try !skipAttributes(makesVectors: true) {
        break
      }
    }
    var name: String?
    var inner: [Modifier] = []
    if token.kind == .mark("("), beginsDeclarator {
      advance()
      try descend()
      (name, inner) = try self.modifiers()
      depth -= 1
      try expect(")", "a declarator in parentheses")
    } else if case .word(let word) = token.kind {
      if let known = Self.labelWords[word] { throw error(.unsupportedDeclaration, known) }
      name = word
      advance()
    }
    var suffixes: [Modifier] = []
    while let suffix = try suffix() { suffixes.append(suffix) }
    return (name, modifiers + suffixes.reversed() + inner)
  }

  /// Words at a name's place that are no names, with the error for each.
  private static let labelWords = [
    "asm": "a label renames the symbol; declare the function by its symbol's name",
    "__asm__": "a label renames the symbol; declare the function by its symbol's name",
    "__asm": "a label renames the symbol; declare the function by its symbol's name",
  ]

  /// Whether the parenthesis that comes next holds a declarator, not parameters.
  private var beginsDeclarator: Bool {
    switch tokens[index + 1].kind {
    case .mark(")"), .mark("..."): false
    case .word("__attribute__"): true
    default: !typeBegins(at: index + 1)
    }
  }

  private mutating func suffix() throws(TypeEncodingError) -> Modifier? {
    while try skipAttributes(makesVectors: true) {}
    if skip(mark: "(") { return try parameters() }
    if skip(mark: "[") { return .array(count: try arrayCount()) }
    if case .word(let word) = token.kind, let known = Self.labelWords[word] {
      throw error(.unsupportedDeclaration, known)
    }
    return nil
  }

  /// Reads up to the closing bracket of an array.
  private mutating func arrayCount() throws(TypeEncodingError) -> Int? {
    var qualifiers = Qualifiers()
    while try skipQualifier(&qualifiers) || skip(word: "static") {}
    if skip(mark: "]") { return nil }
    if token.kind == .mark("*"), tokens[index + 1].kind == .mark("]") {
      advance()
      advance()
      return nil
    }
    if parameterDepth > 0, namesNoConstant {
      // Manual pages and arrays of variable length name another parameter, which makes no
      // difference.
      while token.kind != .mark("]"), token.kind != .end { advance() }
      try expect("]", "an array's count")
      return nil
    }
    let start = token
    let value = try constant().value
    guard value >= 0, let count = Int(exactly: value) else {
      throw error(.sizeOverflow, "an array cannot have \(value) elements", at: start)
    }
    try expect("]", "an array's count")
    return count
  }

  /// Whether the next token begins no constant expression: `.count`, or the name of a parameter.
  private var namesNoConstant: Bool {
    guard case .word(let word) = token.kind else { return token.kind == .mark(".") }
    return meaning(of: word) == nil && !Self.isOperator(word)
  }

  /// Reads up to the closing parenthesis of a function's parameters.
  private mutating func parameters() throws(TypeEncodingError) -> Modifier {
    try descend()
    parameterDepth += 1
    defer {
      depth -= 1
      parameterDepth -= 1
    }
    if skip(mark: ")") { return .function(parameters: [], isVariadic: false) }
    var parameters: [DeclaredType] = []
    while true {
      if skip(mark: "...") {
        try expect(")", "a list that ends with ...")
        return .function(parameters: parameters, isVariadic: true)
      }
      let start = token
      let type = try declarator(of: try specifiers()).type.asParameter
      if type.isVoid {
        guard parameters.isEmpty, skip(mark: ")") else {
          throw error(
            .noLayout, "no argument is void; write void *, or nothing beside it", at: start)
        }
        return .function(parameters: [], isVariadic: false)
      }
      try requireLayout(of: type, at: start)
      parameters.append(type)
      if skip(mark: ")") { return .function(parameters: parameters, isVariadic: false) }
      try expect(",", "a list of parameters")
    }
  }

  private func type(
    _ modifier: Modifier, of base: DeclaredType, at start: CToken
  ) throws(TypeEncodingError) -> DeclaredType {
    switch modifier {
    case .pointer(let qualifiers): return try type(.pointer(base)).qualified(by: qualifiers)
    case .block(let qualifiers):
      guard case .function(let function) = base.shape else {
        throw error(
          .noFunction, "^ makes blocks of functions only, as in void (^)(int)", at: start)
      }
      return try type(.block(function)).qualified(by: qualifiers)
    case .array(let count):
      if case .function = base.shape {
        throw error(.noLayout, "there is no array of functions; use pointers to them", at: start)
      }
      if count == nil, base.isVoid, parameterDepth > 0 { return try type(.array(count: nil, base)) }
      // The array must fit an address space.
      try requireLayout(of: DeclaredType(.array(count: count ?? 0, base)), at: start)
      return try type(.array(count: count, base))
    case .function(let parameters, let isVariadic):
      switch base.shape {
      case .function:
        throw error(.noLayout, "no function returns a function; use a pointer", at: start)
      case .array: throw error(.noLayout, "no function returns an array; use a pointer", at: start)
      default:
        if !base.isVoid { try requireLayout(of: base, at: start) }
        return try type(
          .function(
            DeclaredFunction(result: base, parameters: parameters, isVariadic: isVariadic)))
      }
    }
  }

  private func requireLayout(
    of type: DeclaredType, at start: CToken
  ) throws(TypeEncodingError) {
    do throws(LayoutRefusal) { _ = try type.layout() } catch { throw self.error(error, at: start) }
  }
}
