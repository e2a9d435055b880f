#if Macros
import SwiftSyntax

/// The access of a class, and of the typed selectors of its members: empty if it is internal, else
/// a word and a space.
struct ClassAccess {
  /// The access of the class.
  let own: String

  init(_ modifiers: DeclModifierListSyntax) {
    own =
      modifiers.names.first { ["open", "public", "package"].contains($0) }.map { $0 + " " } ?? ""
  }

  /// The access of members that subclasses cannot override.
  var final: String { own == "open " ? "public " : own }

  /// The access of a member.
  func member(_ modifiers: DeclModifierListSyntax) -> String {
    let names = modifiers.names
    let isPublic = names.contains("public") || names.contains("open")
    if own == "package " { return isPublic || names.contains("package") ? "package " : "" }
    if own.isEmpty { return "" }
    return isPublic ? "public " : names.contains("package") ? "package " : ""
  }

  /// The access of a property's setter, which may be private.
  func setter(_ modifiers: DeclModifierListSyntax) -> String {
    switch modifiers.first(where: { $0.detail?.detail.text == "set" })?.name.text {
    case "private", "fileprivate": "private "
    case "internal": ""
    case "package": own.isEmpty ? "" : "package "
    default: member(modifiers)
    }
  }
}

extension DeclGroupSyntax {
  /// The names of the types that only the declaration's own code can name.
  var privateTypes: Set<String> {
    Set(
      memberBlock.members.map(\.decl).compactMap { member in
        guard !member.is(FunctionDeclSyntax.self),
          let type = member.asProtocol((any NamedDeclSyntax).self),
          let modifiers = member.asProtocol((any WithModifiersSyntax).self)?.modifiers,
          modifiers.names.contains("private")
        else { return nil }
        return Spelling.bare(type.name.text)
      })
  }
}

extension DeclModifierListSyntax {
  /// The modifiers without arguments, such as `public` but not `private(set)`.
  var names: [String] { compactMap { $0.detail == nil ? $0.name.text : nil } }
}
#endif
