#if Macros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// An attribute of a member, which another macro reads; it makes nothing itself.
protocol MarkerMacro: PeerMacro {
  static var attribute: String { get }

  /// Where it belongs.
  static var places: [Place] { get }
}

/// The declaration whose members a marker marks.
enum Place {
  case forwardedProtocol, messageClass

  /// The place in words.
  var text: String {
    switch self {
    case .forwardedProtocol: "a requirement of a protocol that has the attribute @Forwarding"
    case .messageClass: "a member of a class or an actor that has the attribute @Messages"
    }
  }

  /// Whether a declaration is such a place.
  func isPlace(_ owner: Syntax?) -> Bool {
    switch self {
    case .forwardedProtocol:
      owner?.as(ProtocolDeclSyntax.self)?.attributes.attribute("Forwarding") != nil
    case .messageClass:
      owner?.asProtocol((any DeclGroupSyntax).self)?.attributes.attribute("Messages") != nil
    }
  }
}

extension MarkerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !places.contains(where: { $0.isPlace(context.lexicalContext.first) }) {
      Problem(
        "misplaced",
        "@\(attribute) marks \(places.map(\.text).joined(separator: ", or "))"
      ).diagnose(at: node, in: context)
    }
    return []
  }
}

package enum OptionalMacro: MarkerMacro {
  static let attribute = "Optional"
  static let places = [Place.forwardedProtocol]
}

package enum NamedMacro: MarkerMacro {
  static let attribute = "Named"
  static let places = [Place.forwardedProtocol, .messageClass]
}

package enum SentAsMacro: MarkerMacro {
  static let attribute = "SentAs"
  static let places = [Place.forwardedProtocol, .messageClass]
}

package enum NotSentMacro: MarkerMacro {
  static let attribute = "NotSent"
  static let places = [Place.messageClass]
}

extension AttributeListSyntax {
  /// The attribute of a name.
  func attribute(_ name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self
    where [name, "MessageMacros.\(name)"].contains(attribute.attributeName.trimmedDescription) {
      return attribute
    }
    return nil
  }

  /// The attribute of a global actor: its name ends so.
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

  /// The attributes that what is made has too.
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
