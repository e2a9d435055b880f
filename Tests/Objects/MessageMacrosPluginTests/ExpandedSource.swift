#if Macros
import MessageMacrosPlugin
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// A source text with its macros expanded.
struct ExpandedSource {
  /// The expanded text.
  let text: String

  /// The diagnostics, each with its place, and the text that its fix-its write.
  let diagnostics: [String]

  init(_ source: String) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "test.swift")])
    let macros: [String: any Macro.Type] = [
      "Forwarding": ForwardingMacro.self, "Optional": MarkerMacro.self, "Named": MarkerMacro.self,
      "SentAs": MarkerMacro.self, "Messages": MessagesMacro.self, "NotSent": MarkerMacro.self,
      "HookedCall": HookedCallMacro.self,
      "HookableAs": HookableMacro.self, "Keys": KeysMacro.self,
      "Hookable": source.contains("@Hookable(.stored)")
        ? HookablePropertyMacro.self : HookableMacro.self,
    ]
    text =
      file.expand(
        macros: macros,
        contextGenerator: {
          BasicMacroExpansionContext(
            sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        }, indentationWidth: .spaces(2)
      ).description
    diagnostics = context.diagnostics.map { diagnostic in
      let place = context.location(
        for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "test.swift")
      let fixes = diagnostic.fixIts.flatMap(\.changes).map { change in
        guard case .replace(_, let new) = change else { return "another change" }
        return " => \(new.trimmedDescription)"
      }
      return "\(place.line):\(place.column) \(diagnostic.message)" + fixes.joined()
    }
  }
}
#endif
