#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// An attribute of a requirement, which `ForwardingMacro` reads; it makes nothing itself.
protocol MarkerMacro: PeerMacro {
  static var attribute: String { get }
}

extension MarkerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let owner = context.lexicalContext.first?.as(ProtocolDeclSyntax.self)
    if owner?.attributes.attribute("Forwarding") == nil {
      Problem(
        "misplaced",
        "@\(attribute) marks a requirement of a protocol that has the attribute @Forwarding"
      ).diagnose(at: node, in: context)
    }
    return []
  }
}

package enum OptionalMacro: MarkerMacro { static let attribute = "Optional" }
package enum NamedMacro: MarkerMacro { static let attribute = "Named" }
package enum SentAsMacro: MarkerMacro { static let attribute = "SentAs" }

extension AttributeListSyntax {
  /// The attribute of a name.
  func attribute(_ name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self
    where [name, "MessageMacros.\(name)"].contains(attribute.attributeName.trimmedDescription) {
      return attribute
    }
    return nil
  }

  /// The attribute of a global actor: its name ends so.
  var globalActor: String? {
    for case .attribute(let attribute) in self
    where attribute.arguments == nil
      && attribute.attributeName.trimmedDescription.hasSuffix("Actor")
    {
      return attribute.trimmedDescription
    }
    return nil
  }

  /// The attributes that what is made has too.
  var carried: [String] {
    compactMap { element in
      guard case .attribute(let attribute) = element else { return nil }
      let name = attribute.attributeName.trimmedDescription
      return ["available", "discardableResult"].contains(name)
        || attribute.trimmedDescription == globalActor
        ? attribute.trimmedDescription : nil
    }
  }
}

extension AttributeSyntax {
  /// The first argument.
  var firstArgument: LabeledExprSyntax? { arguments?.as(LabeledExprListSyntax.self)?.first }

  /// The text of the first argument, if it is a string literal.
  var text: String? {
    firstArgument?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
  }
}
#endif
