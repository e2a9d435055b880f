#if Macros
import SwiftParser
import SwiftSyntax

/// The names of the members of a module's types.
///
/// A replacement stands in an extension of its type. There, the names of the types around that one
/// mean nothing, which its declaration may use.
struct TypeMembers {
  private struct Members {
    /// All names, which hide those of the types around.
    var all: Set<String> = []

    /// The names of types and of static members, which the types within may use.
    var outer: Set<String> = []

    /// The parameters of a generic type, as its full name needs them.
    var parameters = ""
  }

  private var types: [String: Members] = [:]

  /// Adds the members of a declaration.
  ///
  /// - Parameters:
  ///   - group: A type or an extension.
  ///   - path: The type's name, with those around it.
  mutating func add(_ group: any DeclGroupSyntax, to path: String) {
    var members = types[path, default: Members()]
    if let list = group.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause {
      members.parameters = "<\(list.parameters.map(\.name.text).joined(separator: ", "))>"
    }
    for member in group.memberBlock.members {
      let declaration = member.decl
      var names: [String] = []
      var isOuter =
        declaration.asProtocol((any WithModifiersSyntax).self)?.modifiers.contains {
          ["static", "class"].contains($0.name.text)
        } ?? false
      if let variable = declaration.as(VariableDeclSyntax.self) {
        names = variable.bindings.map(\.pattern.trimmedDescription)
      } else if let cases = declaration.as(EnumCaseDeclSyntax.self) {
        names = cases.elements.map(\.name.text)
        isOuter = true
      } else if let named = declaration.asProtocol((any NamedDeclSyntax).self) {
        names = [named.name.text]
        isOuter = isOuter || !declaration.is(FunctionDeclSyntax.self)
      }
      members.all.formUnion(names)
      if isOuter { members.outer.formUnion(names) }
    }
    types[path] = members
  }

  /// Adds those of another file.
  mutating func add(_ others: TypeMembers) {
    types.merge(others.types) { own, other in
      Members(
        all: own.all.union(other.all), outer: own.outer.union(other.outer),
        parameters: own.parameters.isEmpty ? other.parameters : own.parameters)
    }
  }

  /// Writes names of the types around a member's in full.
  ///
  /// - Parameters:
  ///   - code: The member, in an extension of its type.
  ///   - path: The type.
  ///   - enclosing: The types around it, the innermost first.
  /// - Returns: The code.
  func qualified(_ code: String, in path: String, _ enclosing: [String]) -> String {
    var hidden = types[path]?.all ?? []
    var names: [String: String] = [:]
    for outer in enclosing {
      guard let members = types[outer] else { continue }
      for name in members.outer.subtracting(hidden) {
        names[name] = "\(outer)\(members.parameters).\(name)"
      }
      hidden.formUnion(members.all)
    }
    guard !names.isEmpty else { return code }
    let tree = Parser.parse(source: code)
    let finder = LocalNames(viewMode: .sourceAccurate)
    finder.walk(tree)
    for name in finder.names { names[name] = nil }
    return OuterNames(names).visit(tree).description
  }
}

/// Finds what a function declares: it hides the names of types around.
private final class LocalNames: SyntaxVisitor {
  var names: Set<String> = []

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.identifier.text)
    return .visitChildren
  }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert((node.secondName ?? node.firstName).text)
    return .visitChildren
  }
  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert((node.secondName ?? node.firstName).text)
    return .visitChildren
  }
  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.text)
    return .visitChildren
  }
  override func visit(_ node: GenericParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.text)
    return .visitChildren
  }
}

/// Writes names in full where no value or type stands before them.
private final class OuterNames: SyntaxRewriter {
  private let names: [String: String]

  init(_ names: [String: String]) { self.names = names }

  private func full(_ token: TokenSyntax) -> TokenSyntax? {
    names[token.text].map { token.with(\.tokenKind, .identifier($0)) }
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    let access = node.parent?.as(MemberAccessExprSyntax.self)
    guard access?.declName.id != node.id,
      node.parent?.is(KeyPathPropertyComponentSyntax.self) != true,
      let name = full(node.baseName)
    else { return super.visit(node) }
    return super.visit(node.with(\.baseName, name))
  }

  override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
    guard let name = full(node.name) else { return super.visit(node) }
    return super.visit(node.with(\.name, name))
  }
}
#endif
