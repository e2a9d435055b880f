#if Macros
import SwiftSyntax

/// Names for the types and defaults of a protocol that is declared within a type.
///
/// Extensions stand outside of the enclosing type, and do not see what is declared in it. The type
/// of the requirements is inside, and names what the extensions need.
struct NestedNames {
  private let forwarded: ForwardedProtocol

  /// The spellings of the types; the name of each has its index.
  private var types: [String] = []

  init(_ forwarded: ForwardedProtocol) {
    self.forwarded = forwarded
    for requirement in forwarded.requirements {
      let spelled =
        requirement.parameters.map(\.type)
        + [requirement.answer, requirement.error].compactMap(\.self)
      for type in spelled {
        let core = Self.split(type).core
        if !types.contains(core) { types.append(core) }
      }
    }
  }

  /// The name of an inherited protocol's requirements.
  static func requirements(of parent: String) -> String { "_\(parent)Requirements" }

  /// The declarations of the names, members of the requirements' type.
  func declarations(_ access: String, actor: String?) -> [String] {
    types.enumerated().map { "\(access)typealias _Type\($0) = \($1)" }
      + forwarded.inherited.map {
        "\(access)typealias \(Self.requirements(of: $0)) = \($0)Requirements"
      }
      + forwarded.requirements.enumerated().compactMap { index, requirement in
        guard let answer = requirement.answer, let value = requirement.fallback else { return nil }
        let actor = (requirement.globalActor ?? actor).map { "\($0) " } ?? ""
        return
          "\(actor)\(access)static var _default\(index): \(Spelling.optional(answer).trimmedDescription) { \(value) }"
      }
  }

  /// A type by its name, with the attributes that only a parameter has.
  func name(of type: TypeSyntax, in requirements: String) -> String {
    let (prefix, core, suffix) = Self.split(type)
    let number = types.firstIndex(of: core) ?? 0
    return "\(prefix)\(requirements)._Type\(number)\(suffix)"
  }

  /// The default of a requirement by its name; nil if it has none.
  func fallback(of requirement: Requirement, in requirements: String) -> String? {
    guard requirement.answer != nil, requirement.fallback != nil else { return nil }
    let index = forwarded.requirements.firstIndex {
      $0.selector == requirement.selector && $0.kind == requirement.kind
        && $0.name == requirement.name
    }
    return index.map { "\(requirements)._default\($0)" }
  }

  /// Splits a type into what a name can stand for, and what must be written around that.
  private static func split(_ type: TypeSyntax) -> (prefix: String, core: String, suffix: String) {
    if let forced = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return ("", forced.wrappedType.trimmedDescription, "!")
    }
    guard let attributed = type.as(AttributedTypeSyntax.self) else {
      return ("", type.trimmedDescription, "")
    }
    let outer = ["escaping", "autoclosure"]
    var prefix = attributed.specifiers.map { $0.trimmedDescription + " " }.joined()
    var core = ""
    for attribute in attributed.attributes.map(\.trimmedDescription) {
      if outer.contains(String(attribute.dropFirst())) {
        prefix += attribute + " "
      } else {
        core += attribute + " "
      }
    }
    return (prefix, core + attributed.baseType.trimmedDescription, "")
  }
}
#endif
