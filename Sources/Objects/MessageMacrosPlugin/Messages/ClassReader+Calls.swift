#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// Finds the members whose ordinary Swift calls are messages too.
extension ClassReader {
  /// The method with Swift calls that run hooks; nil, with a diagnostic, if they cannot.
  mutating func called(
    _ function: FunctionDeclSyntax, _ selector: String, isOfActor: Bool
  ) -> CalledFunction? {
    let called = CalledFunction(
      function, of: declaration, slot: Self.slot(selector, function.modifiers.names))
    let reason =
      ["Hookable", "HookableAs"].contains { function.attributes.attribute($0) != nil }
      ? "it is hooked by its own attribute @Hookable; remove that"
      : isOfActor && !called.isAsync
        ? "the actor cannot wait for hooks; write async" : called.reasonAgainst
    guard let reason else { return called }
    reportUncalled(function.name, "calls of `\(function.name.text)`", reason)
    return nil
  }

  /// The name of the slot of a message, which no other message of the class has.
  static func slot(_ selector: String, _ modifiers: [String]) -> String {
    let isOfClass = modifiers.contains("static") || modifiers.contains("class")
    return (isOfClass ? "class" : "of") + "_"
      + selector.unicodeScalars.map { scalar in
        switch scalar {
        case "_": "__"
        case ":": "_1"
        default:
          scalar.properties.isXIDContinue ? String(scalar) : "_\(scalar.value)_"
        }
      }.joined()
  }

  /// Reports that uses of a member that is no method run no hooks.
  mutating func readUncalled(_ member: some DeclSyntaxProtocol) {
    guard hooksCalls else { return }
    let accessors = "a macro cannot add code to accessors; let them call methods"
    if let initializer = member.as(InitializerDeclSyntax.self) {
      guard initializer.attributes.attribute("NotSent") == nil else { return }
      reportUncalled(
        initializer.initKeyword, "calls of `init`",
        "`self` is not complete; hook a method that it calls")
    } else if let subscripting = member.as(SubscriptDeclSyntax.self) {
      guard subscripting.attributes.attribute("NotSent") == nil else { return }
      reportUncalled(subscripting.subscriptKeyword, "calls of `subscript`", accessors)
    } else if let property = member.as(VariableDeclSyntax.self) {
      guard property.attributes.attribute("NotSent") == nil else { return }
      for binding in property.bindings where binding.accessorBlock != nil {
        reportUncalled(
          binding.pattern, "uses of `\(binding.pattern.trimmed)`", accessors)
      }
    }
  }

  private mutating func reportUncalled(
    _ node: some SyntaxProtocol, _ subject: String, _ reason: String
  ) {
    report(
      node, "uncalled", "\(subject) run no hooks: \(reason), or mark it with @NotSent",
      severity: .warning)
  }
}
#endif
