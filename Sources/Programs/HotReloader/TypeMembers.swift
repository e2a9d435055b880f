#if Macros
import SwiftParser
import SwiftSyntax

/// The names of the members of a module's types.
///
/// A replacement stands in an extension of its type. Its body may use names of the enclosing types,
/// which an extension does not see; so they are written in full.
struct TypeMembers {
  private struct Members {
    /// The names of all members, which hide those of the enclosing types.
    var all: Set<String> = []

    /// The names of types and of static members, which nested types may use.
    var outer: Set<String> = []

    /// The parameters of a generic type, as its full name needs them.
    var parameters = ""
  }

  private var types: [String: Members] = [:]

  /// Adds the members of a type or an extension, by the full name of the type.
  mutating func add(_ group: any DeclGroupSyntax, to type: String) {
    var members = types[type, default: Members()]
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
    types[type] = members
  }

  /// Adds the members of another file's declarations.
  mutating func add(_ others: TypeMembers) {
    types.merge(others.types) { own, other in
      Members(
        all: own.all.union(other.all), outer: own.outer.union(other.outer),
        parameters: own.parameters.isEmpty ? other.parameters : own.parameters)
    }
  }

  /// The code of a member in an extension of its type, with the names of the members of enclosing
  /// types in full; the enclosing types are given from the innermost one on.
  func qualified(_ code: String, in type: String, _ enclosing: [String]) -> String {
    var hidden = types[type]?.all ?? []
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

/// Finds the names that a function declares: they hide those of enclosing types.
private final class LocalNames: SyntaxAnyVisitor {
  var names: Set<String> = []

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    switch node.as(SyntaxEnum.self) {
    case .identifierPattern(let node): names.insert(node.identifier.text)
    case .functionParameter(let node): names.insert((node.secondName ?? node.firstName).text)
    case .closureParameter(let node): names.insert((node.secondName ?? node.firstName).text)
    case .closureShorthandParameter(let node): names.insert(node.name.text)
    case .closureCapture:
      // Its tokens: versions of swift-syntax differ in how they store the name.
      let children = node.children(viewMode: .sourceAccurate)
      names.formUnion(children.compactMap { $0.as(TokenSyntax.self)?.text })
    case .genericParameter(let node): names.insert(node.name.text)
    case .catchClause(let node) where node.catchItems.isEmpty: names.insert("error")
    case .accessorDecl(let node) where node.accessorSpecifier.text == "set":
      names.insert(node.parameters?.name.text ?? "newValue")
    default:
      if let named = node.asProtocol((any NamedDeclSyntax).self) { names.insert(named.name.text) }
    }
    return .visitChildren
  }
}

/// Writes names in full that are used without a value or type before them.
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
