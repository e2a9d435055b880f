#if Macros
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Lets a function read its slot, and makes the target that has its hooks.
package enum HookableMacro: BodyMacro, PeerMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard let function = declaration.as(FunctionDeclSyntax.self),
      case .success(let hookable) = HookableReader(function, node, context.lexicalContext).read()
    else { return declaration.body.map { Array($0.statements) } ?? [] }
    return hookable.called.statements(at: function, in: context)
  }

  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let function = declaration.as(FunctionDeclSyntax.self) else {
      Problem(
        "notAFunction",
        "@Hookable makes functions and methods hookable; let this call one, or write @Hookable(.stored) before a stored property"
      ).diagnose(at: node, in: context)
      return []
    }
    switch HookableReader(function, node, context.lexicalContext).read() {
    case .failure(let refusal):
      Problem("notHookable", "`\(function.name.text)` is not hookable: \(refusal.reason)")
        .diagnose(at: function.name, in: context)
      return []
    case .success(let hookable):
      let peers = hookable.called.peers(location: context.directive(of: function))
      return (peers + [hookable.holder(in: context.file(of: function)), hookable.target()]).map {
        DeclSyntax(stringLiteral: $0)
      }
    }
  }
}
#endif
