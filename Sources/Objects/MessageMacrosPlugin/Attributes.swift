#if Macros
import SwiftParser
import SwiftSyntax

extension AttributeListSyntax {
  /// The attribute of a name.
  func attribute(_ name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self
    where [name, "MessageMacros.\(name)"].contains(attribute.attributeName.trimmedDescription) {
      return attribute
    }
    return nil
  }

  /// The attribute of a global actor, known by a name that ends with `Actor`.
  var globalActor: String? {
    for case .attribute(let attribute) in self
    where attribute.arguments == nil
      && attribute.attributeName.trimmedDescription.hasSuffix("Actor")
    {
      return attribute.trimmedDescription
    }
    return nil
  }

  /// Whether the declaration cannot be used at all.
  var isUnavailable: Bool { isAvailable("unavailable") }

  /// Whether uses of the declaration give a warning.
  var isDeprecated: Bool { isAvailable("deprecated") }

  private func isAvailable(_ word: String) -> Bool {
    contains { element in
      guard case .attribute(let attribute) = element else { return false }
      return attribute.attributeName.trimmedDescription == "available"
        && attribute.arguments?.tokens(viewMode: .sourceAccurate).contains { $0.text == word }
          == true
    }
  }

  /// The attributes that a macro's declarations have too.
  var carried: [String] {
    compactMap { element in
      guard case .attribute(let attribute) = element else { return nil }
      let name = attribute.attributeName.trimmedDescription
      return ["available", "discardableResult"].contains(name)
        || attribute.trimmedDescription == globalActor
        ? attribute.trimmedDescription : nil
    }
  }
}

extension AttributeSyntax {
  /// The first argument.
  var firstArgument: LabeledExprSyntax? { arguments?.as(LabeledExprListSyntax.self)?.first }

  /// The text of the first argument, if it is a string literal.
  var text: String? {
    firstArgument?.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
  }
}
#endif
