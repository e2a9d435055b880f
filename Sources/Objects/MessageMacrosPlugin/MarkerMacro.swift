#if Macros
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
#endif
