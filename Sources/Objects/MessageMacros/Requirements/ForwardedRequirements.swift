#if Macros
public import MessageForwarding

/// The requirements of a protocol with the attribute `Forwarding`, as its forwarders see them.
///
/// For a protocol `PageDelegate` the macro makes the type `PageDelegateRequirements`.
public protocol ForwardedRequirements: SendableMetatype {
  /// The type of the objects to which a forwarder sends the requirements: the protocol.
  associatedtype Target

  /// A weak reference to an object of that type.
  associatedtype WeakTarget: MessageMacros.WeakTarget where WeakTarget.Target == Target

  /// A closure for each requirement.
  associatedtype Closures: RequirementNames

  /// A policy for each requirement with an answer.
  associatedtype Policies: RequirementNames

  /// The targets of the inherited protocols.
  associatedtype Parts: ForwarderParts where Parts.Requirements == Self

  /// The requirements of the protocols from which the protocol inherits.
  static var _inherited: [any ForwardedRequirements.Type] { get }

  /// The protocol as messages see it, or the error of its description.
  static var _messageProtocol: Result<MessageProtocol, MessageError> { get }

  /// The methods by which an object receives the requirements as messages.
  ///
  /// - Parameters:
  ///   - type: The requirements of the protocol to which the object conforms: these, or those of a
  ///     protocol that inherits from this one.
  ///   - target: Converts the object.
  /// - Returns: The methods.
  static func _methods<Whole: ForwardedRequirements>(
    of type: Whole.Type, _ target: @escaping @Sendable (Whole.Target) -> Target
  ) -> [Method]
}

extension ForwardedRequirements {
  /// No methods.
  public static func _methods<Whole: ForwardedRequirements>(
    of type: Whole.Type, _ target: @escaping @Sendable (Whole.Target) -> Target
  ) -> [Method] { [] }

  /// The methods, without a warning if one of them is deprecated: those of an inherited protocol,
  /// whose requirements a macro does not see.
  public static func _inheritedMethods<Whole: ForwardedRequirements>(
    of type: Whole.Type, _ target: @escaping @Sendable (Whole.Target) -> Target
  ) -> [Method] { _methods(of: type, target) }

  /// No protocols.
  public static var _inherited: [any ForwardedRequirements.Type] { [] }

  /// The protocol as messages see it, for a `DynamicDelegate`.
  ///
  /// - Throws: `invalidProtocol` if a requirement has a type that no message has.
  public static var messageProtocol: MessageProtocol {
    get throws(MessageError) { try _messageProtocol.get() }
  }
}

/// A weak reference to an object of a protocol's type, which no generic type can hold.
public protocol WeakTarget<Target> {
  /// The protocol.
  associatedtype Target

  /// The object; nil if there is none, or it has been destroyed.
  var target: Target? { get }

  /// Creates a weak reference.
  ///
  /// - Parameter target: The object.
  init(_ target: Target?)
}

/// A value for each requirement of a protocol: its closure, or its policy.
public protocol RequirementNames {
  /// Creates the initial values.
  init()
}
#endif
