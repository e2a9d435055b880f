#if Macros
import SwiftParser
package import SwiftSyntax
package import SwiftSyntaxMacros

/// An attribute of a member, such as `@Named`, which another macro reads; it makes nothing itself.
package enum MarkerMacro: PeerMacro {
  /// The members that a marker may mark, in words, by the attribute of the declaration they are in.
  private static let members = [
    "Forwarding": "a requirement of a protocol that has the attribute @Forwarding",
    "Messages": "a member of a class or an actor that has the attribute @Messages",
  ]

  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let marker = Spelling.lastName(of: node.attributeName)
    let owners =
      switch marker {
      case "Optional": ["Forwarding"]
      case "NotSent": ["Messages"]
      default: ["Forwarding", "Messages"]
      }
    let owner = context.lexicalContext.first?.asProtocol((any DeclGroupSyntax).self)
    if !owners.contains(where: { owner?.attributes.attribute($0) != nil }) {
      let places = owners.compactMap { members[$0] }.joined(separator: ", or ")
      Problem("misplaced", "@\(marker) marks \(places)").diagnose(at: node, in: context)
    }
    return []
  }
}

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

  /// Whether the declaration cannot be used at all.
  var isUnavailable: Bool { isAvailable("unavailable") }

  /// Whether uses of the declaration give a warning.
  var isDeprecated: Bool { isAvailable("deprecated") }

  private func isAvailable(_ word: String) -> Bool {
    contains { element in
      guard case .attribute(let attribute) = element else { return false }
      return attribute.attributeName.trimmedDescription == "available"
        && attribute.arguments?.tokens(viewMode: .sourceAccurate).contains { $0.text == word }
          == true
    }
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
    firstArgument?.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
  }
}
#endif
