#if Macros
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Makes the declarations that a protocol's forwarders need.
package enum ForwardingMacro: PeerMacro, ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ProtocolDeclSyntax.self) else {
      Problem("notAProtocol", "@Forwarding makes forwarders of protocols only")
        .diagnose(at: node, in: context)
      return []
    }
    if let problem = Problem.hidden(declaration.modifiers, in: context) {
      problem.diagnose(at: declaration.name, in: context)
      return []
    }
    var reader = ProtocolReader(declaration, in: context.lexicalContext)
    let forwarded = reader.read()
    for diagnostic in reader.diagnostics { context.diagnose(diagnostic) }
    guard let forwarded, reader.diagnostics.isEmpty else { return [] }
    let text = ForwarderText(forwarded, isNested: !context.lexicalContext.isEmpty)
    return [
      DeclSyntax(stringLiteral: text.requirementsType),
      DeclSyntax(stringLiteral: text.forwardedProtocol),
      DeclSyntax(stringLiteral: text.forwardingProtocol),
      DeclSyntax(stringLiteral: text.messagesProtocol),
    ]
  }

  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.as(ProtocolDeclSyntax.self),
      Problem.hidden(declaration.modifiers, in: context) == nil
    else { return [] }
    // The problems are reported with the peers.
    var reader = ProtocolReader(declaration, in: context.lexicalContext)
    guard let forwarded = reader.read(), reader.diagnostics.isEmpty else { return [] }
    let name = type.trimmedDescription
    let scope = String(name.dropLast(forwarded.name.count))
    let text = ForwarderText(forwarded, in: scope, isNested: !scope.isEmpty)
    return [
      text.targetsOfForwarders(), text.targetsOfProxies(), text.sending(), text.defaults(),
    ].compactMap { text in
      text.flatMap { DeclSyntax(stringLiteral: $0).as(ExtensionDeclSyntax.self) }
    }
  }
}
#endif
