private import BlockRuntimeThreads
internal import Invocations
internal import IsolatedClosures
internal import ObjectLifetimes

/// A delegate whose methods are blocks and closures, one for each message of a protocol.
///
/// ```swift
/// let delegate = DynamicDelegate(pages)
/// try delegate.implement("page:didLoad:") { (page: Page, count: Int32) in print(count) }
/// try delegate.setRealDelegate(controller)  // weak: receives what no closure implements
/// try delegate.requireComplete()
/// ```
///
/// A message runs the method that is implemented on the delegate; without one it is forwarded to
/// the real delegate, if that responds to it; otherwise an error is thrown: `missingRequiredMethod`
/// if the protocol requires the message, `unrecognizedSelector` if not. Hooks of the delegate's
/// methods run like those of any object.
///
/// All functions may be called from any thread, also from inside a method: a message runs the
/// method that was implemented when it was sent, and a method's captures live until its calls have
/// ended.
///
/// The corresponding class of BlocksKit is `A2DynamicDelegate`.
public final class DynamicDelegate: MessageReceiver, Sendable {
  /// The protocol of the delegate's messages.
  public let messageProtocol: MessageProtocol

  /// Whether this is the `classReceiver` of another delegate: its methods are class methods.
  public let isClassReceiver: Bool

  /// The key by which the delegate's methods are found.
  public let _messageIdentity: MessageIdentity

  /// The delegate's own methods.
  public var _messageClass: MessageClass {
    MessageClass(of: DynamicDelegate.classObject, methods: ownMethods)
  }

  let ownMethods = MethodDictionary(of: DynamicDelegate.self, inheriting: nil)
  let real: RealDelegate
  private let madeClassReceiver = Locked<DynamicDelegate?>(nil)

  private init(_ messageProtocol: MessageProtocol, _ real: RealDelegate, isClassReceiver: Bool) {
    self.messageProtocol = messageProtocol
    self.real = real
    self.isClassReceiver = isClassReceiver
    _messageIdentity = MessageIdentity(ownMethods.identity)
  }

  /// Creates a delegate without methods.
  ///
  /// - Parameter messageProtocol: The protocol of its messages.
  public convenience init(_ messageProtocol: MessageProtocol) {
    self.init(messageProtocol, RealDelegate(), isClassReceiver: false)
  }

  deinit { ownMethods.removeAll() }

  /// The delegate that an object has for a protocol, created at the first call.
  ///
  /// The object retains its delegate: a closure of the delegate that captures the object strongly
  /// makes a reference cycle.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - messageProtocol: The protocol.
  /// - Returns: The same delegate every time, on every thread.
  /// - Throws: `deadReceiver` if the object is dying; the reason if objects cannot have associated
  ///   values; `underlyingError` is a `LifetimeError`.
  public static func of(
    _ owner: AnyObject, for messageProtocol: MessageProtocol
  ) throws(MessageError) -> DynamicDelegate {
    do throws(LifetimeError) {
      return try messageProtocol.delegateKey.value(
        of: owner, default: DynamicDelegate(messageProtocol))
    } catch {
      throw MessageError(error, consequence: "no delegate of \(messageProtocol)")
    }
  }

  /// No methods: a delegate has only those that are implemented on it.
  public static var methods: MethodTable { MethodTable(DynamicDelegate.self) }

  // MARK: - The real delegate

  /// The object that receives the messages which are not implemented on the delegate; it is not
  /// retained.
  ///
  /// For a class receiver, this is the class of its delegate's real delegate. An object that
  /// `isolated(delegate).setRealDelegate(_:)` set is not returned here, but by
  /// `isolated(delegate).realDelegate`.
  public var realDelegate: (any MessageReceiver)? { realDelegate { _ in false } }

  /// The real delegate, or its class; nil also if the caller may not use the real delegate.
  func realDelegate(where isUsable: (Isolation) -> Bool) -> (any MessageReceiver)? {
    guard let receiver = real.receiver(where: isUsable) else { return nil }
    return isClassReceiver ? Self.classReceiver(of: receiver) : receiver
  }

  /// Sets the object that receives the messages which are not implemented on the delegate.
  ///
  /// Any thread that sends a message calls the object; `isolated(delegate).setRealDelegate(_:)`
  /// takes an object that is not `Sendable`.
  ///
  /// - Parameter receiver: The real delegate; nil for none.
  /// - Throws: `delegateCycle` if it is the delegate itself, or forwards to it through other
  ///   delegates; `invalidMethod` on a class receiver, which uses its delegate's.
  public func setRealDelegate(
    _ receiver: (any MessageReceiver & Sendable)?
  ) throws(MessageError) {
    try setRealDelegate(receiver, nil)
  }

  func setRealDelegate(
    _ receiver: (any MessageReceiver)?, _ isolation: Isolation?
  ) throws(MessageError) {
    guard !isClassReceiver else {
      throw MessageError(
        .invalidMethod,
        "\(self) forwards to the class of its delegate's real delegate; set that on the delegate")
    }
    guard real.set(receiver, isolation) else {
      throw MessageError(
        .delegateCycle,
        "\(self) would forward messages to itself; its real delegate must be another object")
    }
  }

  /// The delegate's class, which receives the class messages of the protocol.
  ///
  /// Class methods are implemented on it like the other methods on the delegate; class messages
  /// without a method are forwarded to the class of the real delegate. The corresponding expression
  /// of BlocksKit is `[delegate class]`.
  public var classReceiver: DynamicDelegate {
    if isClassReceiver { return self }
    return madeClassReceiver.withLock { made in
      if let made { return made }
      let new = DynamicDelegate(messageProtocol, real, isClassReceiver: true)
      made = new
      return new
    }
  }

  private static func classReceiver(of receiver: any MessageReceiver) -> any MessageReceiver {
    switch receiver {
    case let delegate as DynamicDelegate: delegate.classReceiver
    case let object as DynamicObject: object.dynamicClass
    case let itself as ClassObject: itself
    default: ClassObject.of(type(of: receiver))
    }
  }
}

extension DynamicDelegate: CustomStringConvertible {
  /// The protocol's name, and whether this is a class receiver.
  public var description: String {
    "DynamicDelegate<\(messageProtocol)>" + (isClassReceiver ? ".Class" : "")
  }
}
