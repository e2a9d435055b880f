#if Macros
import SwiftParser
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Lets a method read its slot, and makes a method of its body.
package enum HookedCallMacro: BodyMacro, PeerMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard let (called, _) = called(declaration, node, context) else {
      return declaration.body.map { Array($0.statements) } ?? []
    }
    return called.statements(at: called.function, in: context)
  }

  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let (called, owner) = called(declaration, node, context) else {
      Problem("misplaced", "@Messages(.calls) of a class or an actor adds @HookedCall to methods")
        .diagnose(at: node, in: context)
      return []
    }
    let words = owner.is(ActorDeclSyntax.self) ? [] : ["final"]
    return called.peers(location: context.directive(of: called.function), words).map {
      DeclSyntax(stringLiteral: $0)
    }
  }

  private static func called(
    _ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax,
    _ context: some MacroExpansionContext
  ) -> (CalledFunction, Syntax)? {
    guard let function = declaration.as(FunctionDeclSyntax.self), let slot = node.text,
      let context = context.lexicalContext.first,
      let owner: any ReceiverDeclaration =
        context.as(ClassDeclSyntax.self) ?? context.as(ActorDeclSyntax.self)
    else { return nil }
    return (CalledFunction(function, of: owner, slot: slot), context)
  }
}

extension CalledFunction {
  /// The statements of the function itself, at the place of the written function's body.
  func statements(
    at written: FunctionDeclSyntax, in context: some MacroExpansionContext
  ) -> [CodeBlockItemSyntax] {
    Array(
      CodeBlockItemListSyntax(
        stringLiteral: statements(location: context.directive(of: written))))
  }
}

extension MacroExpansionContext {
  /// The name of the file, with that of its module.
  func file(of function: some SyntaxProtocol) -> String {
    let place = location(of: function, at: .afterLeadingTrivia, filePathMode: .fileID)
    return place?.file.as(StringLiteralExprSyntax.self)?.representedLiteralValue ?? ""
  }

  /// The directive that says where the body of a function stands, with an end of line; empty if
  /// that is unknown.
  func directive(of function: FunctionDeclSyntax) -> String {
    let place = function.body.flatMap {
      location(of: $0.statements, at: .afterLeadingTrivia, filePathMode: .filePath)
    }
    return place.map {
      "#sourceLocation(file: \($0.file.trimmedDescription), line: \($0.line.trimmedDescription))\n"
    } ?? ""
  }
}
#endif
