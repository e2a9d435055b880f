#if Macros
import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Makes the key table of a class.
package enum KeysMacro: MemberMacro, ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      Problem("noClass", "@Keys makes the key table of a class").diagnose(at: node, in: context)
      return []
    }
    if let problem = Problem.hidden(declaration.modifiers, in: context) {
      problem.diagnose(at: declaration.name, in: context)
      return []
    }
    let superclass = declaration.superclass(unless: conforming)
    let isFinal = declaration.modifiers.names.contains("final")
    let access = ClassAccess(declaration.modifiers)
    let words = [
      // The compiler shows the comment if there is nothing to override.
      superclass.map { "// If \($0) has no keys, write KeyValueCoding after it.\n" } ?? "",
      isFinal ? access.final : access.own, superclass == nil ? "" : "override ",
      isFinal && superclass == nil ? "static" : "class",
    ]
    let name = declaration.name.text
    for conditional in declaration.memberBlock.members.compactMap({
      $0.decl.as(IfConfigDeclSyntax.self)
    }) where hasKeys(conditional) {
      Problem(
        "conditional",
        "a macro does not know which members are compiled: properties of #if have no keys; write `keys` by hand",
        severity: .warning
      ).diagnose(at: conditional, in: context)
    }
    let entries = declaration.memberBlock.members.flatMap { keys(of: $0.decl) }
      .map { "  \(Spelling.literal(Spelling.bare($0))): \\\(name).\($0),\n" }.joined()
    let own = entries.isEmpty ? "[:]" : "[\n\(entries)]"
    return [
      """
      \(raw: words.joined()) var keys: KeyValueObserving.KeyTable {
        \(raw: superclass == nil ? own : "super.keys + \(own)")
      }
      """
    ]
  }

  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // A class that inherits from one with keys conforms already.
    guard let declaration = declaration.as(ClassDeclSyntax.self), !protocols.isEmpty,
      declaration.superclass(unless: conforming) == nil,
      Problem.hidden(declaration.modifiers, in: context) == nil
    else { return [] }
    let actor = declaration.attributes.globalActor.map { $0 + " " } ?? ""
    return [
      try ExtensionDeclSyntax(
        "extension \(type.trimmed): \(raw: actor)KeyValueObserving.KeyValueCoding {}")
    ]
  }

  /// The protocols that a class names if it conforms itself: then its superclass, if any, has no
  /// keys.
  private static var conforming: Set<String> { ["KeyValueCoding", "KeyValueObservable"] }

  /// Whether a property would have a key, if it was declared outside of `#if`.
  private static func hasKeys(_ conditional: IfConfigDeclSyntax) -> Bool {
    conditional.clauses.compactMap { $0.elements?.as(MemberBlockItemListSyntax.self) }.joined()
      .contains { member in
        member.decl.as(IfConfigDeclSyntax.self).map(hasKeys) ?? !keys(of: member.decl).isEmpty
      }
  }

  /// The names of the properties of a declaration that have keys.
  private static func keys(of declaration: DeclSyntax) -> [String] {
    guard let property = declaration.as(VariableDeclSyntax.self),
      Set(property.modifiers.names)
        .isDisjoint(with: ["static", "class", "private", "fileprivate", "override"])
    else { return [] }
    return property.bindings.filter { $0.effects == nil }.compactMap {
      $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    }
  }
}
#endif
