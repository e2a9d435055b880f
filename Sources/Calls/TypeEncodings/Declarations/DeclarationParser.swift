/// Reads declarations in C from left to right.
///
/// Each loop and each level of the recursion consumes a token, and constructs and types nest to
/// limits, so time and stack stay bounded.
///
/// Specification: ISO C11, 6.7, with GNU's attributes and clang's blocks.
struct DeclarationParser {
  /// The meaning of an identifier.
  enum Meaning {
    case type(DeclaredType)
    case constant(CConstant)
  }

  let text: String
  let tokens: [CToken]
  var index = 0
  var depth = 0

  /// How many lists of parameters surround the next token.
  var parameterDepth = 0

  /// An attribute that makes a vector of the type that is being read.
  var vectorAttribute: VectorAttribute?

  /// The size of the largest vector that registers pass.
  var registerBytes = 16

  /// Names of types and enumerators that the text declares or that Swift types have.
  var meanings: [String: Meaning] = [:]

  /// All structures and unions that the text declares.
  var records: [DeclaredRecord] = []

  /// Structures, unions and enumerations by their tags.
  var tags: [String: DeclaredType] = [:]

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - text: Declarations, separated by semicolons.
  ///   - types: Swift types that the text names.
  /// - Throws: The errors of `TypeEncoding.init(declaration:types:)`.
  init(_ text: String, types: [Any.Type]) throws(TypeEncodingError) {
    self.text = text
    tokens = try CToken.all(of: text)
    for type in types {
      let declared = DeclaredType(.encoded(try TypeEncoding(of: type)))
      let name = _typeName(type, qualified: false)
      guard meanings[name] == nil else {
        throw TypeEncodingError(
          code: .unsupportedSwiftType,
          message:
            "two Swift types are called \(name); pass one, and declare the other in the text",
          input: text)
      }
      meanings[name] = .type(declared)
      tags[name] = declared
    }
  }

  /// Forgets the members of all records: a type that was read must not be encoded afterwards.
  func end() { for record in records { record.end() } }

  /// Reads all declarations; the last one, which is no `typedef`, is the result.
  mutating func result() throws(TypeEncodingError) -> Declared {
    while true {
      while skip(mark: ";") || skip(word: "__extension__") {}
      guard token.kind != .end else {
        throw error(
          .empty, "there is no declaration here; write a type, or a function with its types")
      }
      let isTypedef = skip(word: "typedef")
      let base = try specifiers()
      if isTypedef {
        try typedefs(of: base)
      } else if !isSemicolonBeforeMore {
        let declared = try declarator(of: base)
        _ = skip(mark: ";")
        guard token.kind == .end else {
          throw error(
            .trailingText,
            "the declaration ends before \(token); only types may be declared before the last one, and "
              + "macros are left out")
        }
        return declared
      }
      try expect(";", "a declaration")
    }
  }

  /// Whether a semicolon comes next, and another declaration behind it: then this one declares a
  /// record alone.
  private var isSemicolonBeforeMore: Bool {
    token.kind == .mark(";") && tokens[index + 1].kind != .end
  }

  private mutating func typedefs(of base: DeclaredType) throws(TypeEncodingError) {
    repeat {
      let declared = try declarator(of: base)
      guard let name = declared.name else {
        throw error(.unexpectedCharacter, "a typedef must give a name here")
      }
      meanings[name] = .type(declared.type)
    } while skip(mark: ",")
  }

  // MARK: - Tokens

  /// The next token.
  var token: CToken { tokens[index] }

  /// Goes to the next token, unless this is the end.
  mutating func advance() { if token.kind != .end { index += 1 } }

  /// Goes on behind a mark, if it comes next.
  mutating func skip(mark: String) -> Bool {
    guard token.kind == .mark(mark) else { return false }
    advance()
    return true
  }

  /// Goes on behind a word, if it comes next.
  mutating func skip(word: String) -> Bool {
    guard token.kind == .word(word) else { return false }
    advance()
    return true
  }

  /// Goes on behind a mark, or throws.
  mutating func expect(_ mark: String, _ construct: String) throws(TypeEncodingError) {
    guard !skip(mark: mark) else { return }
    throw error(
      token.kind == .end ? .unexpectedEnd : .unexpectedCharacter,
      "\(construct) goes on with \(mark), not with \(token)")
  }

  /// An error at a token, by default the next.
  func error(
    _ code: ErrorCode, _ message: String, at token: CToken? = nil
  ) -> TypeEncodingError {
    TypeEncodingError(
      code: code, message: message, input: text, offset: (token ?? self.token).offset)
  }

  /// An error of a layout, at a token.
  func error(_ refusal: LayoutRefusal, at token: CToken) -> TypeEncodingError {
    error(refusal.code, refusal.message, at: token)
  }

  /// The limit of constructs that are written inside of each other: a debug build reads them on a
  /// stack of 512 KiB, which threads of libdispatch have.
  private static let maximumNesting = 32

  /// Enters a construct; the caller decrements `depth` when it leaves it.
  mutating func descend() throws(TypeEncodingError) {
    depth += 1
    guard depth <= Self.maximumNesting else {
      throw error(
        .tooDeep, "constructs nest at most \(Self.maximumNesting) levels deep; use a typedef")
    }
  }

  /// A type that is made of others, if it is not too deep.
  func type(_ shape: DeclaredType.Shape) throws(TypeEncodingError) -> DeclaredType {
    let type = DeclaredType(shape)
    guard type.depth <= TypeEncoding.maximumDepth else {
      throw error(
        .tooDeep, "types nest at most \(TypeEncoding.maximumDepth) levels deep; use void *")
    }
    return type
  }
}
