extension DeclarationParser {
  /// Reads a constant expression of integers.
  ///
  /// Specification: ISO C11, 6.6. Values are computed in 128 bits.
  mutating func constant() throws(TypeEncodingError) -> Int128 {
    let condition = try binary(minimum: 1)
    guard skip(mark: "?") else { return condition }
    try descend()
    let first = try constant()
    try expect(":", "a conditional expression")
    let second = try constant()
    depth -= 1
    return condition != 0 ? first : second
  }

  private static let precedences = [
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
  ]

  private mutating func binary(minimum: Int) throws(TypeEncodingError) -> Int128 {
    var left = try unary()
    while case .mark(let mark) = token.kind, let precedence = Self.precedences[mark],
      precedence >= minimum
    {
      let start = token
      advance()
      let right = try binary(minimum: precedence + 1)
      guard let value = Self.value(left, mark, right) else {
        throw error(.numberTooLarge, "\(left) \(mark) \(right) has no value here", at: start)
      }
      left = value
    }
    return left
  }

  private mutating func unary() throws(TypeEncodingError) -> Int128 {
    try descend()
    defer { depth -= 1 }
    let start = token
    advance()
    switch start.kind {
    case .number(let value): return value
    case .mark("-"): return try -unary()
    case .mark("+"): return try unary()
    case .mark("~"): return try ~unary()
    case .mark("!"): return try unary() == 0 ? 1 : 0
    case .mark("("):
      guard !typeBegins(at: index) else {
        throw error(.unsupportedDeclaration, "a constant cannot be converted here; write its value")
      }
      let value = try constant()
      try expect(")", "an expression in parentheses")
      return value
    case .word(let word) where ["sizeof", "_Alignof", "alignof", "__alignof__"].contains(word):
      try expect("(", "\(word) of a type")
      let type = try typeName()
      try expect(")", "\(word) of a type")
      do throws(LayoutRefusal) {
        let layout = try type.layout()
        return Int128(word == "sizeof" ? layout.size : layout.alignment)
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

  /// The value of an operation; nil if there is none.
  private static func value(_ left: Int128, _ mark: String, _ right: Int128) -> Int128? {
    func exact(_ result: (partialValue: Int128, overflow: Bool)) -> Int128? {
      // Two of 64 bits cannot overflow 128; values beyond those are refused here.
      let isIn64Bits = Int128(Int64.min)...Int128(UInt64.max) ~= result.partialValue
      return result.overflow || !isIn64Bits ? nil : result.partialValue
    }
    func truth(_ value: Bool) -> Int128 { value ? 1 : 0 }
    return switch mark {
    case "||": truth(left != 0 || right != 0)
    case "&&": truth(left != 0 && right != 0)
    case "|": left | right
    case "^": left ^ right
    case "&": left & right
    case "==": truth(left == right)
    case "!=": truth(left != right)
    case "<": truth(left < right)
    case ">": truth(left > right)
    case "<=": truth(left <= right)
    case ">=": truth(left >= right)
    case "<<": (0..<64).contains(right) ? exact((left << right, false)) : nil
    case ">>": (0..<64).contains(right) ? left >> right : nil
    case "+": exact(left.addingReportingOverflow(right))
    case "-": exact(left.subtractingReportingOverflow(right))
    case "*": exact(left.multipliedReportingOverflow(by: right))
    case "/": right == 0 ? nil : exact(left.dividedReportingOverflow(by: right))
    case "%": right == 0 ? nil : exact(left.remainderReportingOverflow(dividingBy: right))
    default: nil
    }
  }
}
