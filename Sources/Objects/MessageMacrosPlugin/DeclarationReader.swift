#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// A reader of the declaration that a macro is attached to; it collects the problems that it finds.
protocol DeclarationReader {
  var diagnostics: [Diagnostic] { get set }
}

extension DeclarationReader {
  mutating func report(
    _ node: some SyntaxProtocol, _ name: String, _ message: String, _ fixIt: FixIt? = nil,
    severity: DiagnosticSeverity = .error
  ) {
    diagnostics.append(
      Diagnostic(
        node: Syntax(node), message: Problem(name, message, severity: severity),
        fixIts: fixIt.map { [$0] } ?? []))
  }
}
#endif
