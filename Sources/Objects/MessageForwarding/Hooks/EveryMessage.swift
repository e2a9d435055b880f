public import BlockHooks
public import Invocations
internal import TypeEncodings

/// Every message as what can be hooked: all methods of a class, or those of one object.
///
/// `Page.everyMessage` is every message to an instance of the class, also of every subclass that
/// inherits the method, `page.everyMessage` every message to one object only. A hook of it is one
/// hook, with one token, in the chains of all methods, own and inherited: conditions count the
/// messages together, and `call.selector` tells them apart. What `MethodTarget` says of hooks of
/// one method is true of it in each.
///
/// Methods that are added later, in `resolveMethod(_:)` too, have the hook when they have been
/// added. A message that is forwarded runs the hooks of the object that answers it; the override of
/// a subclass, and a method that only a subclass has, are none of the class's.
///
/// A message that a handler sends is a message like others: without a condition, a handler that
/// sends one to a receiver that it hooks has no end.
///
/// The corresponding Objective-C function is `instrumentObjcMessageSends`.
public struct EveryMessage: HookTarget, CustomStringConvertible {
  fileprivate let place: HookedReceiver

  /// Installs a hook that is described by a value.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation. Dropping it removes nothing.
  /// - Throws: As `MethodTarget.install(_:)`, with the first method that cannot have the hook; then
  ///   none has. A method that is added later and cannot have it goes without, and `onError`
  ///   receives the reason. A definition for one method, such as a memo, is refused.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(MessageError) -> Hook {
    try EveryMessageHook.install(definition, on: place.methods, title: place.className)
  }

  /// The hooks of every message, outermost first, without those of single methods.
  public var hooks: [Hook] {
    place.existingMethods.map { $0.everyMessage.hooks(of: $0) } ?? []
  }

  /// The class.
  public var description: String { "every message of \(place.className)" }
}

extension MessageReceiver {
  /// Every message to an instance of the class, to be hooked.
  public static var everyMessage: EveryMessage { classObject.everyInstanceMessage }

  /// Every message to this object, to be hooked for it only; it is retained.
  ///
  /// For a `ClassObject` these are its class methods.
  public var everyMessage: EveryMessage { EveryMessage(place: .object(self)) }
}

extension ClassObject {
  /// Every message to an instance of the class, to be hooked.
  public var everyInstanceMessage: EveryMessage { EveryMessage(place: .instances(self)) }
}

extension CallContents where Self: ~Copyable {
  /// The name of the message; nil if the call is not that of a method, or has no name yet.
  public var selector: Selector? {
    signature.form == .method ? try? argument(1, as: Selector?.self) : nil
  }
}
