extension DeclarationParser {
  /// Reads a constant expression of integers.
  ///
  /// Specification: ISO C11, 6.6.
  mutating func constant() throws(TypeEncodingError) -> CConstant {
    let condition = try binary()
    guard skip(mark: "?") else { return condition }
    try descend()
    let first = try constant()
    try expect(":", "a conditional expression")
    let second = try constant()
    depth -= 1
    // The result has the type that a sum would have.
    let zero = CConstant.value(second, "&", CConstant(literal: 0))
    let other = CConstant.value(first, "&", CConstant(literal: 0))
    let (chosen, unit) = condition.value != 0 ? (first, zero) : (second, other)
    return unit.flatMap { CConstant.value(chosen, "|", $0) } ?? chosen
  }

  /// Whether a word is an operator of constant expressions.
  static func isOperator(_ word: String) -> Bool {
    ["sizeof", "_Alignof", "alignof", "__alignof__"].contains(word)
  }

  private static let precedences = [
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
  ]

  /// Reads operands with the operators between them.
  ///
  /// Operators wait on a stack of their own, so that precedences need no recursion.
  private mutating func binary() throws(TypeEncodingError) -> CConstant {
    var operands = [try unary()]
    var operators: [(mark: String, precedence: Int, token: CToken)] = []
    while true {
      var next: (mark: String, precedence: Int, token: CToken)?
      if case .mark(let mark) = token.kind, let precedence = Self.precedences[mark] {
        next = (mark, precedence, token)
      }
      // Operators that bind as tightly as the next one, or tighter, are computed before it.
      while let last = operators.last, last.precedence >= next?.precedence ?? 0 {
        operators.removeLast()
        let right = operands.removeLast()
        let left = operands.removeLast()
        guard let value = CConstant.value(left, last.mark, right) else {
          throw error(
            .numberTooLarge, "\(left.value) \(last.mark) \(right.value) has no value here",
            at: last.token)
        }
        operands.append(value)
      }
      guard let next else { return operands.removeLast() }
      operators.append(next)
      advance()
      operands.append(try unary())
    }
  }

  private mutating func unary() throws(TypeEncodingError) -> CConstant {
    try descend()
    defer { depth -= 1 }
    let start = token
    advance()
    switch start.kind {
    case .number(let value): return value
    case .mark("-"), .mark("+"), .mark("~"), .mark("!"):
      let operand = try unary()
      guard let value = CConstant.value("\(start)", operand) else {
        throw error(.numberTooLarge, "\(start)\(operand.value) has no value here", at: start)
      }
      return value
    case .mark("("):
      if typeBegins(at: index) { return try cast(at: start) }
      let value = try constant()
      try expect(")", "an expression in parentheses")
      return value
    case .word(let word) where Self.isOperator(word):
      try expect("(", "\(word) of a type")
      let type = try typeName()
      try expect(")", "\(word) of a type")
      do throws(LayoutRefusal) {
        let layout = try type.layout()
        let value = Int128(word == "sizeof" ? layout.size : layout.alignment)
        return CConstant(literal: value, isUnsigned: true, isLong: true)
      } catch { throw self.error(error, at: start) }
    case .word(let word):
      if case .constant(let value) = meanings[word] { return value }
      throw error(
        .unknownType,
        "no constant \(word) is known; declare it by an enum in the same text, or write its value",
        at: start)
    default:
      throw error(.unexpectedCharacter, "a constant must stand here, not \(start)", at: start)
    }
  }

  /// Reads a cast behind its opening parenthesis.
  private mutating func cast(at start: CToken) throws(TypeEncodingError) -> CConstant {
    let type = try typeName()
    try expect(")", "a cast")
    guard case .primitive(let primitive) = type.shape, primitive.isInteger,
      let size = try? type.layout().size
    else { throw error(.unsupportedDeclaration, "only integers are cast in a constant", at: start) }
    return try unary().converted(to: primitive, size: size)
  }
}
