#if Macros
import SwiftSyntax

/// The declaration of a class or an actor.
typealias ReceiverDeclaration = DeclGroupSyntax & NamedDeclSyntax & WithGenericParametersSyntax

/// Whether a class inherits its messages, by its spelling.
///
/// What the compiler knows of a class when it asks for its members depends on the order of files:
/// the members must not depend on it.
extension DeclGroupSyntax {
  /// The type that is taken for a superclass with messages: the first one that is written, unless
  /// the class says itself that it is a receiver.
  var superclassWithMessages: TypeSyntax? { superclass(unless: Self.receivers) }

  /// The type that is taken for a superclass: the first one that is written, unless it is a known
  /// protocol, or the class itself conforms to one of the given protocols.
  func superclass(unless conforming: Set<String>) -> TypeSyntax? {
    let inherited = inheritanceClause?.inheritedTypes.map(\.type) ?? []
    guard self.is(ClassDeclSyntax.self), let first = inherited.first,
      !first.is(AttributedTypeSyntax.self), !Self.protocols.contains(Spelling.lastName(of: first)),
      !inherited.contains(where: { conforming.contains(Spelling.lastName(of: $0)) })
    else { return nil }
    return first.trimmed
  }

  /// Whether instances may be Sendable, by their spelling: only a class that inherits from nothing
  /// but known protocols is not.
  var mayBeSendable: Bool {
    let inherited = inheritanceClause?.inheritedTypes.map(\.type) ?? []
    return !self.is(ClassDeclSyntax.self) || attributes.globalActor != nil
      || inherited.contains { type in
        let name = Spelling.lastName(of: type.as(AttributedTypeSyntax.self)?.baseType ?? type)
        return ["Error", "Sendable"].contains(name)
          || !Self.protocols.contains(name) && !Self.receivers.contains(name)
      }
  }

  private static var receivers: Set<String> { ["MessageReceiver", "TypedMessageReceiver"] }

  /// Protocols to which classes often conform.
  private static var protocols: Set<String> {
    [
      "AnyObject", "Sendable", "SendableMetatype", "Equatable", "Hashable", "Comparable",
      "Identifiable", "Codable", "Encodable", "Decodable", "Error", "CustomStringConvertible",
      "CustomDebugStringConvertible", "Observable", "ObservableObject",
    ]
  }
}
#endif
