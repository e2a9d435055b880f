#if Macros
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Makes the method table and the typed selectors of a class.
package enum MessagesMacro: MemberMacro, ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      let remedy =
        declaration.is(ActorDeclSyntax.self)
        ? "; for an actor, list async closures in a MethodTable" : ""
      Problem("notAClass", "@Messages makes messages of a class's methods\(remedy)")
        .diagnose(at: node, in: context)
      return []
    }
    var reader = ClassReader(declaration, inheritsMessages: protocols.isEmpty)
    let read = reader.read()
    for diagnostic in reader.diagnostics { context.diagnose(diagnostic) }
    guard let read else { return [] }
    let text = MessagesText(read)
    return [DeclSyntax(stringLiteral: text.table), DeclSyntax(stringLiteral: text.selectors)]
  }

  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // A class that inherits from one with messages conforms already.
    guard let declaration = declaration.as(ClassDeclSyntax.self), !protocols.isEmpty else {
      return []
    }
    // The problems are reported with the members.
    var reader = ClassReader(declaration, inheritsMessages: false)
    guard reader.read() != nil else { return [] }
    return [
      try ExtensionDeclSyntax(
        "extension \(type.trimmed): MessageForwarding.TypedMessageReceiver {}")
    ]
  }
}
#endif
