public import BlockHooks
public import Invocations
internal import TypeEncodings

/// A target of hooks: every message to the instances of a class, or to one object.
///
/// `Page.everyMessage` is every message to an instance of the class, also of every subclass that
/// inherits the method, `page.everyMessage` every message to one object only. A hook of it is one
/// hook, with one token, in the chains of all methods, own and inherited: conditions count the
/// messages together, and `call.selector` tells them apart. In each of the methods, the hook does
/// what `MethodTarget` says of a method's hooks.
///
/// A method that is added later, also by `resolveMethod(_:)`, gets the hook then. A message that is
/// forwarded runs the hooks of the object that answers it. A hook of the class is not in a
/// subclass's overrides, nor in methods that only a subclass has.
///
/// A message that a handler sends runs the hooks like any other: a handler that sends one to a
/// hooked receiver recurses without end, unless a condition stops it.
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

  /// The words "every message of", and the class.
  public var description: String { "every message of \(place.className)" }
}

extension MessageReceiver {
  /// Every message to an instance of the class, to be hooked.
  public static var everyMessage: EveryMessage { classObject.everyInstanceMessage }

  /// Every message to this object, to be hooked for this object only.
  ///
  /// The target retains the object.
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
