#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A problem that a macro reports, with its reason and the remedy.
struct Problem: DiagnosticMessage {
  let message: String
  let name: String

  var diagnosticID: MessageID { MessageID(domain: "MessageMacros", id: name) }
  let severity: DiagnosticSeverity

  init(_ name: String, _ message: String, severity: DiagnosticSeverity = .error) {
    self.name = name
    self.message = message
    self.severity = severity
  }

  /// The problem of a private declaration within a type: what a macro adds in extensions does not
  /// see it.
  static func hidden(
    _ modifiers: DeclModifierListSyntax, in context: some MacroExpansionContext
  ) -> Problem? {
    guard !context.lexicalContext.isEmpty, modifiers.names.contains("private") else { return nil }
    return Problem(
      "private", "extensions do not see what is private in a type: write fileprivate")
  }

  /// Reports the problem at its place.
  func diagnose(
    at node: some SyntaxProtocol, _ fixIts: [FixIt] = [], in context: some MacroExpansionContext
  ) {
    context.diagnose(Diagnostic(node: Syntax(node), message: self, fixIts: fixIts))
  }
}

/// The description of a fix-it.
struct Remedy: FixItMessage {
  let message: String

  var fixItID: MessageID { MessageID(domain: "MessageMacros", id: message) }

  /// Makes the fix-it that replaces a node.
  static func replace(
    _ message: String, _ old: some SyntaxProtocol, by new: some SyntaxProtocol
  ) -> FixIt {
    FixIt(
      message: Remedy(message: message),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  /// Makes the fix-it that writes an attribute before a member.
  static func add(attribute: String, to member: some SyntaxProtocol) -> FixIt? {
    guard var changed = member.asProtocol((any WithAttributesSyntax).self) else { return nil }
    let attributes = changed.attributes
    var new: AttributeSyntax = "\(raw: attribute)"
    new.trailingTrivia = .space
    // The first token of the member gives its indentation to the attribute.
    if attributes.isEmpty {
      new.leadingTrivia = member.leadingTrivia
      changed.leadingTrivia = []
    }
    changed.attributes.append(.attribute(new))
    return attributes.isEmpty
      ? replace("add \(attribute)", member, by: changed)
      : replace("add \(attribute)", attributes, by: changed.attributes)
  }
}
#endif
