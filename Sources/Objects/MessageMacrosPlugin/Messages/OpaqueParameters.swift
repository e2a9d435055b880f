#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

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
