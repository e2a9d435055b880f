#if Macros
import SwiftSyntax

/// Rewrites the types of a function to those of its messages: the type itself for `Self`, `any P`
/// for a result that is `some P`, and a value for an argument that the function consumes or
/// borrows.
final class MessageTypes: SyntaxRewriter {
  private let own: String
  private var isResult = false

  /// - Parameter own: The type whose method the function is.
  init(own: String) { self.own = own }

  func signature(of function: FunctionDeclSyntax) -> FunctionSignatureSyntax {
    rewrite(function.signature).cast(FunctionSignatureSyntax.self)
  }

  override func visit(_ clause: ReturnClauseSyntax) -> ReturnClauseSyntax {
    isResult = true
    defer { isResult = false }
    return super.visit(clause)
  }

  override func visit(_ parameter: FunctionParameterSyntax) -> FunctionParameterSyntax {
    var parameter = super.visit(parameter)
    if var type = parameter.type.as(AttributedTypeSyntax.self) {
      type.specifiers = type.specifiers.filter { !Self.ownership.contains($0.trimmedDescription) }
      parameter.type =
        type.specifiers.isEmpty && type.attributes.isEmpty ? type.baseType : TypeSyntax(type)
    }
    return parameter
  }

  /// The words that say who owns an argument, or the value on which a method is called.
  static let ownership: Set<String> = [
    "consuming", "__consuming", "__owned", "borrowing", "__shared",
  ]

  override func visit(_ token: TokenSyntax) -> TokenSyntax {
    switch token.tokenKind {
    case .keyword(.Self): token.with(\.tokenKind, .identifier(own))
    case .keyword(.some) where isResult: token.with(\.tokenKind, .keyword(.any))
    default: token
    }
  }
}

extension FunctionSignatureSyntax {
  var parameters: [FunctionParameterSyntax] { Array(parameterClause.parameters) }
}

extension FunctionDeclSyntax {
  /// The labels of the arguments without backticks; nil for those without one.
  var labels: [String?] {
    signature.parameters.map { $0.firstName.text == "_" ? nil : Spelling.bare($0.firstName.text) }
  }

  /// The name, with the labels as words of it: `addItemTo` for `add(item:to:)`.
  var nameWithLabels: String {
    let words = labels.compactMap { $0.map(Spelling.capitalised) }
    return words.isEmpty
      ? name.text : Spelling.identifier(Spelling.bare(name.text) + words.joined())
  }
}
#endif
