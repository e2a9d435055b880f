#if Macros
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Lets the reads and writes of a stored property read slots, and makes the targets that have their
/// hooks.
package enum HookablePropertyMacro: AccessorMacro, PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard case .success(let hookable) = read(declaration, context.lexicalContext) else { return [] }
    return hookable.property.accessors(hookable.called).map { "\(raw: $0)" }
  }

  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    switch read(declaration, context.lexicalContext) {
    case .failure(let refusal):
      let pattern = declaration.as(VariableDeclSyntax.self)?.bindings.first?.pattern
      Problem(
        "notHookable",
        "`\(pattern?.trimmedDescription ?? "this")` is not hookable: \(refusal.reason)"
      ).diagnose(at: pattern.map(Syntax.init) ?? Syntax(declaration), in: context)
      return []
    case .success(let hookable):
      let words = hookable.texts.isEmpty ? ["final"] : []
      let file = context.file(of: declaration)
      let targets = hookable.texts.map { $0.holder(in: file) }
      let target = hookable.texts.first?.target(of: hookable.property.name, hookable.texts.last)
      let texts =
        [hookable.property.storage] + hookable.called.flatMap { $0.peers(location: "", words) }
        + targets + [target].compactMap { $0 }
      return texts.map { DeclSyntax(stringLiteral: $0) }
    }
  }

  /// A property with its functions, and the texts for these if they are not messages of a class.
  private struct Hookable {
    let property: HookableProperty
    let called: [CalledFunction]
    var texts: [HookableFunctionText] = []
  }

  private static func read(
    _ declaration: some DeclSyntaxProtocol, _ context: [Syntax]
  ) -> Result<Hookable, HookableRefusal> {
    Result { () throws(HookableRefusal) in
      guard let variable = declaration.as(VariableDeclSyntax.self) else {
        throw HookableRefusal(reason: "it is no stored property; write @Hookable")
      }
      let property = try HookableProperty(variable, of: context.first)
      let texts = try zip(property.functions, ["_Hooks_", "_SetterHooks_"]).map {
        function, holder throws(HookableRefusal) in
        try HookableReader(
          function, of: property.name, holder: HookHolder.named(holder, property.name),
          context
        ).read().get()
      }
      guard let owner = context.first?.as(ClassDeclSyntax.self), variable.isMessage(in: owner)
      else {
        return Hookable(property: property, called: texts.map(\.called), texts: texts)
      }
      return Hookable(property: property, called: property.messages(of: owner))
    }
  }
}

extension VariableDeclSyntax {
  /// Whether the property is hooked as a message of its class.
  fileprivate func isMessage(in owner: ClassDeclSyntax) -> Bool {
    owner.attributes.attribute("Messages")?.firstArgument != nil
      && !modifiers.names.contains("static") && attributes.attribute("NotSent") == nil
  }
}
#endif
