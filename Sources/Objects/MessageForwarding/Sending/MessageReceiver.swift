public import Invocations
public import TypeEncodings

/// A class whose instances receive messages: it declares methods, and decides about messages for
/// which it has none.
///
/// ```swift
/// class Page: MessageReceiver {
///   func didLoad(_ count: Int32) {}
///   class var methods: MethodTable { MethodTable(Page.self) { Method("didLoad:", Page.didLoad) } }
/// }
/// try page.send("didLoad:", Int32(3))
/// ```
///
/// A message goes through these steps, as in Objective-C, until one answers it:
/// 1. a method of the class, or one that it inherits;
/// 2. `resolveMethod(_:)`, which may add one;
/// 3. `forwardingTarget(for:)`, which returns another receiver;
/// 4. `methodSignature(for:)`, and with that signature `forwardInvocation(_:)`;
/// 5. the error `unrecognizedSelector`.
///
/// Only messages that are sent with `send` use the table of methods and their hooks; direct Swift
/// calls do if the method asks a ``CallSlot``.
///
/// All requirements are called on the sender's thread, under no lock.
public protocol MessageReceiver: AnyObject {
  /// The methods that the class declares; those of superclasses are inherited.
  static var methods: MethodTable { get }

  /// Called for a message for which instances have no method: `+resolveInstanceMethod:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether a method was added, with `addMethod(_:)`.
  static func resolveMethod(_ selector: Selector) -> Bool

  /// Called for a message for which the class has no method: `+resolveClassMethod:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether a method was added.
  static func resolveClassMethod(_ selector: Selector) -> Bool

  /// Returns the object that receives a message instead: `-forwardingTargetForSelector:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The forwarding target; nil, or the receiver itself, if there is none.
  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)?

  /// Returns the signature of a message: `-methodSignatureForSelector:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The signature of the method, or, of a receiver that forwards invocations, of the
  ///   message that it forwards; nil for an unknown message.
  func methodSignature(for selector: Selector) -> MethodSignature?

  /// Forwards or answers a message that is an object: `-forwardInvocation:`.
  ///
  /// - Parameter invocation: The message with its arguments; its result becomes the answer.
  /// - Throws: Any error, which is thrown to the sender.
  func forwardInvocation(_ invocation: Invocation) throws

  /// Forwards or answers a message whose Swift types are known; by default, makes an invocation and
  /// forwards that.
  ///
  /// - Parameter message: The message.
  /// - Returns: The answer.
  /// - Throws: `unrecognizedSelector`, and what `forwardInvocation(_:)` throws.
  func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome

  /// Whether the receiver has a method for a message: `-respondsToSelector:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether it has.
  func responds(to selector: Selector) -> Bool

  /// The key by which the receiver's methods are found.
  ///
  /// Do not implement it: an object with the identity of another class would be treated as an
  /// instance of that class.
  var _messageIdentity: MessageIdentity { get }

  /// The dictionary of the receiver's methods, and its name. Do not implement it.
  var _messageClass: MessageClass { get }

  /// Calls `resolveMethod(_:)` of the receiver's class, or, if the receiver is a class,
  /// `resolveClassMethod(_:)`. Do not implement it.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether a method was added.
  func _resolve(_ selector: Selector) -> Bool

  /// Whether every message without a method goes directly to `forward(_:)`: the class adds no
  /// methods, and the receiver has no forwarding targets. Do not implement it.
  static var _forwardsEverything: Bool { get }
}

extension MessageReceiver {
  /// Adds no method.
  public static func resolveMethod(_ selector: Selector) -> Bool { false }

  /// Adds no method.
  public static func resolveClassMethod(_ selector: Selector) -> Bool { false }

  /// Returns nil: there is no forwarding target.
  public func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { nil }

  /// The signature of the receiver's method, or of the message that it answers as a
  /// ``MessageProxy``; nil if there is neither.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    if let method = MethodLookup.resolve(self, selector) { return try? method.interface.signature }
    return try? answered(selector)?.signature
  }

  /// Throws `unrecognizedSelector`.
  public func forwardInvocation(_ invocation: Invocation) throws {
    throw MethodLookup.unrecognized(invocation.selector, self)
  }

  /// Makes an invocation, and passes it to `forwardInvocation(_:)`.
  public func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    guard let signature = methodSignature(for: message.selector) else {
      throw MethodLookup.unrecognized(message.selector, self)
    }
    let invocation = try message.makeInvocation(signature: signature, to: self)
    do { try forwardInvocation(invocation) } catch {
      throw MessageError(thrown: error, by: message.selector)
    }
    return try invocation.answer(as: Outcome.self)
  }

  /// Whether there is a method, or `resolveMethod(_:)` adds one, or the receiver answers the
  /// message as a ``MessageProxy``.
  public func responds(to selector: Selector) -> Bool {
    MethodLookup.resolve(self, selector) != nil || answered(selector) != nil
  }

  /// The address of the class.
  @inlinable
  public var _messageIdentity: MessageIdentity {
    // SAFETY: a Swift object begins with the address of its class.
    unsafe MessageIdentity(unsafeBitCast(self, to: UnsafePointer<UInt>.self).pointee)
  }

  /// The Swift class.
  public var _messageClass: MessageClass { MessageClass(of: ClassObject.of(type(of: self))) }

  /// Calls `resolveMethod(_:)` of the class.
  public func _resolve(_ selector: Selector) -> Bool { Self.resolveMethod(selector) }

  /// False: `resolveMethod(_:)` and `forwardingTarget(for:)` are called before `forward(_:)`.
  @inlinable
  public static var _forwardsEverything: Bool { false }

  /// The class, as messages see it.
  public static var classObject: ClassObject { ClassObject.of(self) }
}
