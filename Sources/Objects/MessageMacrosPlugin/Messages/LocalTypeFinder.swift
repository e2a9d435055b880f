#if Macros
import SwiftSyntax

/// Finds types that a function declares: they cannot be part of another function too.
final class LocalTypeFinder: SyntaxVisitor {
  var hasFound = false

  private func find() -> SyntaxVisitorContinueKind {
    hasFound = true
    return .skipChildren
  }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { find() }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { find() }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { find() }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { find() }
}
#endif
