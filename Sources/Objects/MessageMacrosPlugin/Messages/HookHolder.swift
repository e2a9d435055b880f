#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// What has the slot and the object of a hookable function: an enumeration with one of each or, for a
/// method of each type or a generic function, a variable or a function that finds them by the types.
struct HookHolder {
  /// The name, as declarations write it.
  let name: String

  /// What has the holder, as code names it; nil at the top of a file.
  let owner: String?
  let isOfEachType: Bool

  /// The generic parameters of the function; nil if it has neither those nor a where clause.
  let types: [String]?

  init(
    _ name: String, owner: String?, isOfEachType: Bool, of function: FunctionDeclSyntax
  ) {
    (self.name, self.owner, self.isOfEachType) = (name, owner, isOfEachType)
    let parameters = function.genericParameterClause?.parameters.map(\.name.text)
    types = parameters ?? (function.genericWhereClause == nil ? nil : [])
  }

  /// Whether the hooks are found by types.
  var isFound: Bool { isOfEachType || types != nil }

  /// The object to which the messages are sent.
  var object: String {
    guard isFound else { return "\(name).function" }
    let found = (isOfEachType ? "Self." : owner.map { $0 + "." } ?? "") + name
    return found + (types.map { "(\($0.map { $0 + ".self" }.joined(separator: ", ")))" } ?? "")
  }

  /// The types by which the hooks are found, as one; `own` is the method's, as it is named there.
  func key(_ own: String) -> String {
    let all = (isOfEachType ? [own] : []) + (types ?? [])
    return all.count == 1 ? all[0] : "(\(all.joined(separator: ", ")))"
  }

  /// The parameters of what is found by the types of a generic function; nil if that is no function.
  var parameters: String? {
    types.map { types in "(\(types.map { "_: \($0).Type" }.joined(separator: ", ")))" }
  }

  /// The names of what is made of the function.
  func names(_ function: String) -> CalledFunction.Names {
    CalledFunction.Names(
      body: Self.named("_body_", function), hooked: Self.named("_hooked_", function),
      slot: isFound ? "\(object).calls.slot" : "\(name).calls",
      question: isFound ? "MessageForwarding.TypeCalls.areHooked" : nil, receiver: object)
  }

  /// A name of what is made of a function, between backticks if the function's is an operator.
  static func named(_ prefix: String, _ name: String) -> String {
    let isWord = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isWord ? prefix + name : "`\(prefix)\(name)`"
  }
}

extension CalledFunction {
  /// The generic parameters, and what must be true of them.
  var genericClauses: (parameters: String, conditions: String) {
    (
      function.genericParameterClause?.trimmedDescription ?? "",
      function.genericWhereClause.map { " \($0.trimmed)" } ?? ""
    )
  }
}

/// Names the types of parameters that are `some P`.
final class OpaqueParameters: SyntaxRewriter {
  private var constraints: [String] = []

  /// The function with generic parameters for such types.
  static func named(_ function: FunctionDeclSyntax) -> FunctionDeclSyntax {
    let rewriter = OpaqueParameters()
    var named = function
    named.signature.parameterClause = rewriter.rewrite(function.signature.parameterClause)
      .cast(FunctionParameterClauseSyntax.self)
    guard !rewriter.constraints.isEmpty else { return function }
    let written = function.genericParameterClause?.parameters.map {
      $0.with(\.trailingComma, nil).trimmedDescription
    }
    let all = (written ?? []) + rewriter.constraints.enumerated().map { "Some\($0): \($1)" }
    let clause = DeclSyntax(stringLiteral: "func f<\(all.joined(separator: ", "))>() {}")
    named.genericParameterClause = clause.as(FunctionDeclSyntax.self)?.genericParameterClause
    return named
  }

  override func visit(_ type: SomeOrAnyTypeSyntax) -> TypeSyntax {
    guard type.someOrAnySpecifier.tokenKind == .keyword(.some) else { return super.visit(type) }
    defer { constraints.append(type.constraint.trimmedDescription) }
    return TypeSyntax(IdentifierTypeSyntax(name: .identifier("Some\(constraints.count)")))
  }
}
#endif
