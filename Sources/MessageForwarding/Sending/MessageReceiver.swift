public import Invocations
public import TypeEncodings

/// A class whose instances receive messages: it declares methods, and says what becomes of messages
/// for which it has none.
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
/// 3. `forwardingTarget(for:)`, which names another receiver;
/// 4. `methodSignature(for:)`, and with that signature `forwardInvocation(_:)`;
/// 5. the error `unrecognizedSelector`.
///
/// Messages, and hooks of methods, reach what is sent with `send`: a direct Swift call does not look
/// at the table.
///
/// All of these are called on the sender's thread, under no lock.
public protocol MessageReceiver: AnyObject {
  /// The methods that the class declares; those of superclasses are inherited.
  static var methods: MethodTable { get }

  /// Called for a message that instances have no method for: `+resolveInstanceMethod:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether a method was added, with `addMethod(_:)`.
  static func resolveMethod(_ selector: Selector) -> Bool

  /// Called for a message that the class has no method for: `+resolveClassMethod:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether a method was added.
  static func resolveClassMethod(_ selector: Selector) -> Bool

  /// Names who gets a message instead: `-forwardingTargetForSelector:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Nil, or the receiver itself, if nobody does.
  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)?

  /// The signature of a message: `-methodSignatureForSelector:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: That of the method; who forwards invocations gives those of the messages meant.
  func methodSignature(for selector: Selector) -> MethodSignature?

  /// Deals with a message as an object: `-forwardInvocation:`.
  ///
  /// - Parameter invocation: The message with its arguments; its result becomes the sender's.
  /// - Throws: What the sender gets.
  func forwardInvocation(_ invocation: Invocation) throws

  /// Deals with a message whose Swift types are known; by itself it makes an invocation.
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

  /// What the receiver's methods are found by. It is not to be implemented: an object with the
  /// identity of another class would be taken for one of that class.
  var _messageIdentity: MessageIdentity { get }

  /// Where the receiver's methods are, and what it is called. It is not to be implemented.
  var _messageClass: MessageClass { get }

  /// Asks the receiver's class to make a method, or, where the receiver is a class, itself. It is not to be
  /// implemented.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether a method was added.
  func _resolve(_ selector: Selector) -> Bool

  /// Whether `forward(_:)` gets each message that the receiver has no method for: its class adds none, and
  /// it names nobody. It is not to be implemented.
  static var _forwardsEverything: Bool { get }
}

extension MessageReceiver {
  /// Adds no method.
  public static func resolveMethod(_ selector: Selector) -> Bool { false }

  /// Adds no method.
  public static func resolveClassMethod(_ selector: Selector) -> Bool { false }

  /// Names nobody.
  public func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { nil }

  /// The signature of the receiver's method; nil where it has none.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    try? MethodLookup.resolve(self, selector)?.interface.signature
  }

  /// Refuses the message.
  public func forwardInvocation(_ invocation: Invocation) throws {
    throw MethodLookup.unrecognized(invocation.selector, self)
  }

  /// Makes an invocation, and deals with that.
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

  /// Whether there is a method, or `resolveMethod(_:)` adds one.
  public func responds(to selector: Selector) -> Bool {
    MethodLookup.resolve(self, selector) != nil
  }

  /// The address of the class.
  @inlinable
  public var _messageIdentity: MessageIdentity {
    // SAFETY: an object begins with the address of its class.
    unsafe MessageIdentity(unsafeBitCast(self, to: UnsafePointer<UInt>.self).pointee)
  }

  /// The Swift class.
  public var _messageClass: MessageClass { MessageClass(of: ClassObject.of(type(of: self))) }

  /// Asks the class: `resolveMethod(_:)`.
  public func _resolve(_ selector: Selector) -> Bool { Self.resolveMethod(selector) }

  /// False: `resolveMethod(_:)` and `forwardingTarget(for:)` are asked first.
  @inlinable
  public static var _forwardsEverything: Bool { false }

  /// The class, as messages see it.
  public static var classObject: ClassObject { ClassObject.of(self) }
}
