#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// Finds the types and modifiers that cannot be passed on to targets.
extension ProtocolReader {
  mutating func diagnoseModifiers(_ modifiers: DeclModifierListSyntax) {
    for modifier in modifiers {
      switch modifier.name.tokenKind {
      case .keyword(.static), .keyword(.class):
        report(
          modifier, "static",
          "a forwarder forwards to objects: declare static requirements in another protocol")
      case .keyword(.nonisolated):
        guard let actor = declaration.attributes.globalActor else { continue }
        report(
          modifier, "nonisolated",
          "the forwarder's targets belong to \(actor): remove nonisolated, or declare the requirement in a protocol that is isolated to no actor"
        )
      default: continue
      }
    }
  }

  /// Refuses the methods that every forwarder has.
  mutating func diagnoseMember(_ function: FunctionDeclSyntax) {
    let parameters = function.signature.parameterClause.parameters
    let only = parameters.first.map { $0.firstName.text == "_" && parameters.count == 1 } ?? false
    switch (Spelling.bare(function.name.text), parameters.count) {
    case ("removeAll", 0): diagnoseName(function.name)
    case ("contains", 1), ("remove", 1):
      let type = parameters.first?.type.trimmedDescription
      if only, type == "AnyObject" || type == "any AnyObject" { diagnoseName(function.name) }
    default: break
    }
  }

  mutating func diagnoseName(_ node: some SyntaxProtocol) {
    report(
      node, "forwardersName",
      "a forwarder has its own `\(Spelling.bare(node.trimmedDescription))`: name the requirement otherwise"
    )
  }

  mutating func diagnoseType(_ type: TypeSyntax) {
    for specifier in type.specifiers where specifier != "inout" {
      report(
        type, "ownership",
        "an argument for several targets belongs to none: remove \(specifier)")
    }
    for token in type.tokens(viewMode: .sourceAccurate) {
      switch token.tokenKind {
      case .keyword(.Self):
        report(
          token, "self",
          "a forwarder's targets have many types: write the protocol, `any \(declaration.name.text)`, instead of Self"
        )
      case .keyword(.some):
        report(
          token, "generic",
          "a closure cannot be generic: take an existential type such as `any P` instead")
      default: break
      }
    }
  }

  mutating func diagnoseAutoclosure(_ type: TypeSyntax) {
    guard type.has("autoclosure"),
      let function = type.as(AttributedTypeSyntax.self)?.baseType.as(FunctionTypeSyntax.self),
      let effects = function.effectSpecifiers
    else { return }
    report(
      effects, "autoclosure",
      "an argument that is an expression is passed on without effects: remove @autoclosure, or \(effects.trimmedDescription)"
    )
  }
}
#endif
