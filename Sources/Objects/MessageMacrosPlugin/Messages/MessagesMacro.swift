#if Macros
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Makes the method table and the typed selectors of a class or an actor.
package enum MessagesMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.asReceiver else {
      Problem(
        "notAClass",
        "@Messages makes messages of the methods of a class or an actor; write @Hookable before functions"
      )
      .diagnose(at: node, in: context)
      return []
    }
    if declaration.modifiers.names.contains("distributed") {
      Problem(
        "distributed", "the methods of a distributed actor are no messages: it may be elsewhere"
      )
      .diagnose(at: node, in: context)
      return []
    }
    if let problem = Problem.hidden(declaration.modifiers, in: context) {
      problem.diagnose(at: declaration.name, in: context)
      return []
    }
    var reader = ClassReader(declaration, hooksCalls: node.hooksCalls)
    let read = reader.read()
    for diagnostic in reader.diagnostics { context.diagnose(diagnostic) }
    guard let read else { return [] }
    let text = MessagesText(read)
    return [text.table, text.selectors, text.slots].compactMap { text in
      text.map { DeclSyntax(stringLiteral: $0) }
    }
  }

  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard node.hooksCalls, let declaration = declaration.asReceiver,
      let function = member.as(FunctionDeclSyntax.self)
    else { return [] }
    // The problems are reported with the members.
    var reader = ClassReader(declaration, hooksCalls: true)
    guard let slot = reader.slot(of: function) else { return [] }
    return ["@MessageMacros.HookedCall(\(raw: Spelling.literal(slot)))"]
  }

  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // A class that inherits from one with typed selectors conforms already.
    guard let declaration = declaration.asReceiver,
      !declaration.modifiers.names.contains("distributed"),
      protocols.contains("TypedMessageReceiver"),
      Problem.hidden(declaration.modifiers, in: context) == nil
    else { return [] }
    // The problems are reported with the members.
    var reader = ClassReader(declaration, hooksCalls: node.hooksCalls)
    guard reader.read() != nil else { return [] }
    let nonisolated = declaration.modifiers.names.contains("nonisolated") ? "nonisolated " : ""
    return [
      try ExtensionDeclSyntax(
        "\(raw: nonisolated)extension \(type.trimmed): MessageForwarding.TypedMessageReceiver {}")
    ]
  }
}

extension AttributeSyntax {
  /// Whether the attribute `Messages` asks for Swift calls that are messages.
  fileprivate var hooksCalls: Bool { firstArgument != nil }
}

extension DeclGroupSyntax {
  /// The declaration of a class or an actor; nil for another one.
  fileprivate var asReceiver: (any ReceiverDeclaration)? {
    self.as(ClassDeclSyntax.self) ?? self.as(ActorDeclSyntax.self)
  }
}

extension [TypeSyntax] {
  /// Whether a protocol is among them, with its module's name or without.
  fileprivate func contains(_ name: String) -> Bool {
    contains { Spelling.lastName(of: $0) == name }
  }
}
#endif
