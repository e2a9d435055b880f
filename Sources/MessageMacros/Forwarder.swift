#if Macros
public import Invocations

/// A class made by the macro `Forwarding`, which sends each requirement of a protocol on to its
/// targets: a typed multicast delegate.
///
/// Targets are of three kinds: objects that conform to the protocol, closures, and receivers of
/// messages. They are in one list, in the order of their priority. An object is retained only if it
/// is added strongly, and while it is called; closures are held until they are removed.
///
/// A requirement without an answer goes to all targets that respond: to objects, unless they leave
/// an `Optional` requirement out; to closures that are set; to receivers whose `responds(to:)` is
/// true. A requirement with an answer goes to those that its ``AnswerPolicy`` says. If no target
/// responds, the answer is the default of an `Optional` requirement, otherwise the zero of its
/// type, as that of a message to nil in Objective-C; a requirement that throws then throws
/// `deadReceiver`.
///
/// An error of a target does not keep the others from being called. It is passed to ``onError`` if
/// another target answers; otherwise the first error is thrown.
///
/// Targets may be added and removed at any time, also during a call of them: a call goes to those
/// that were targets when it began. After a target was removed no call of it begins, except one that
/// another thread is just about to begin.
///
/// The functions of a forwarder may be called from any thread if the protocol is `Sendable` or
/// isolated to a global actor.
public protocol Forwarder: AnyObject {
  /// The type of the objects to which it forwards: the protocol.
  associatedtype Target

  /// A weak reference to such an object.
  associatedtype WeakTarget: MessageMacros.WeakTarget where WeakTarget.Target == Target

  /// A closure for each requirement.
  associatedtype Closures: RequirementNames

  /// A policy for each requirement with an answer.
  associatedtype Policies: RequirementNames

  /// The targets of the inherited protocols.
  associatedtype Parts: ForwarderParts where Parts.Whole == Self

  /// Creates a forwarder without targets.
  init()

  /// The targets and the policies.
  var _targets: ForwardingTargets<Self> { get }

  /// The protocol as messages see it.
  static var _messageProtocol: Result<MessageProtocol, MessageError> { get }
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

/// Something for each requirement of a protocol.
public protocol RequirementNames {
  /// Creates it with the initial values.
  init()
}

extension Forwarder {
  /// Creates a forwarder.
  ///
  /// - Parameter targets: The objects to which it forwards, which are not retained.
  public init(to targets: Target...) {
    self.init()
    for target in targets { add(target) }
  }

  /// Adds an object after the targets of the same or a higher priority.
  ///
  /// - Parameters:
  ///   - target: The object. One that is a target already, the forwarder itself, and a forwarder of
  ///     the same protocol that leads back to it are not added.
  ///   - isStrong: Whether the forwarder retains it.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(_ target: Target, strongly isStrong: Bool = false, priority: Int = 0) -> Bool {
    let object = target as AnyObject
    guard object !== self, !Self.leads(from: object, to: self) else { return false }
    return _targets.add(
      ForwardingTarget(target, identity: object, isStrong: isStrong, priority: priority))
  }

  /// Adds closures.
  ///
  /// - Parameters:
  ///   - priority: Targets of a higher priority are called first.
  ///   - set: Sets the closures of those requirements to which they respond.
  /// - Returns: The token that removes them.
  @discardableResult
  public func add(
    priority: Int = 0, _ set: (inout Closures) -> Void
  ) -> ForwardingToken<Self> {
    var closures = Closures()
    set(&closures)
    let target = ForwardingTarget<Self>(closures, priority: priority)
    _targets.add(target)
    return ForwardingToken(target.removal, of: _targets)
  }

  /// Adds a receiver, to which each requirement is sent as a message.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. One that is a target already is not added.
  ///   - isStrong: Whether the forwarder retains it.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(
    receiver: any MessageReceiver, strongly isStrong: Bool = false, priority: Int = 0
  ) -> Bool {
    guard receiver !== self else { return false }
    return _targets.add(
      ForwardingTarget(receiver: receiver, isStrong: isStrong, priority: priority))
  }

  /// Removes an object or a receiver: after the return no call of it begins, except one that another
  /// thread is just about to begin.
  ///
  /// - Parameter target: The object.
  /// - Returns: Whether it was a target.
  @discardableResult
  public func remove(_ target: AnyObject) -> Bool { _targets.remove(target) }

  /// Removes all targets.
  public func removeAll() { _targets.removeAll() }

  /// Whether an object is a target.
  ///
  /// - Parameter target: The object.
  /// - Returns: Whether it is one.
  public func contains(_ target: AnyObject) -> Bool { _targets.contains(target) }

  /// The policies of the requirements with answers.
  public var policies: Policies {
    get { _targets.list.policies }
    set { _targets.setPolicies(newValue) }
  }

  /// Receives the errors of targets that are not thrown; at first, writes them to standard error.
  public var onError: ForwardingErrorHandler {
    get { _targets.list.onError }
    set { _targets.setErrorHandler(newValue) }
  }

  /// The protocol as messages see it, for a `DynamicDelegate`.
  ///
  /// - Throws: `invalidProtocol` if a requirement has a type that no message has.
  public static var messageProtocol: MessageProtocol {
    get throws(MessageError) { try _messageProtocol.get() }
  }

  private static func leads(from object: AnyObject, to forwarder: Self) -> Bool {
    guard let other = object as? Self else { return false }
    return other._targets.list.targets.contains { target in
      guard let next = target.object as AnyObject? else { return false }
      return next === forwarder || leads(from: next, to: forwarder)
    }
  }
}

/// Receives the error of a target, with the target and the requirement as a message.
public typealias ForwardingErrorHandler =
  @Sendable (_ target: AnyObject?, _ selector: Selector, _ error: any Error) -> Void
#endif
