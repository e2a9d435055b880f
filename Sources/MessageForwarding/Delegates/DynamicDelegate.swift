private import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes

/// A delegate whose methods are blocks and closures, one for each message of a protocol.
///
/// ```swift
/// let delegate = DynamicDelegate(pages)
/// try delegate.implement("page:didLoad:") { (page: Page, count: Int32) in print(count) }
/// try delegate.setRealDelegate(controller)  // weak: gets what no closure implements
/// try delegate.requireComplete()
/// ```
///
/// A message goes to the method implemented here, else to the real delegate if that responds to it;
/// else the sender gets an error: `missingRequiredMethod` where the protocol requires the message,
/// `unrecognizedSelector` for every other. Hooks of the delegate's methods run as those of any object.
///
/// Everything may be called from any thread, also from inside a method: a message runs the method that
/// was in place when it was sent, and what a method captures lives until its calls have ended.
///
/// The corresponding class of BlocksKit is `A2DynamicDelegate`.
public final class DynamicDelegate: MessageReceiver, Sendable {
  /// What the delegate answers.
  public let messageProtocol: MessageProtocol

  /// Whether this is what another delegate has for its class: its methods are class methods.
  public let isClassReceiver: Bool

  /// What the delegate's methods are found by.
  public let _messageIdentity: MessageIdentity

  /// The delegate's own methods.
  public var _messageClass: MessageClass {
    MessageClass(of: DynamicDelegate.classObject, methods: ownMethods)
  }

  let ownMethods = MethodDictionary(of: DynamicDelegate.self, inheriting: nil)
  private let real: RealDelegate
  private let madeClassReceiver = Locked<DynamicDelegate?>(nil)

  /// The weak reference to a real delegate, which a delegate and its class share.
  private final class RealDelegate: Sendable {
    struct Reference { weak var receiver: (any MessageReceiver)? }

    let reference = Locked(Reference())

    var receiver: (any MessageReceiver)? { reference.withLock { $0.receiver } }
  }

  private init(_ messageProtocol: MessageProtocol, _ real: RealDelegate, isClassReceiver: Bool) {
    self.messageProtocol = messageProtocol
    self.real = real
    self.isClassReceiver = isClassReceiver
    _messageIdentity = MessageIdentity(ownMethods.identity)
  }

  /// Makes a delegate without methods.
  ///
  /// - Parameter messageProtocol: What it answers.
  public convenience init(_ messageProtocol: MessageProtocol) {
    self.init(messageProtocol, RealDelegate(), isClassReceiver: false)
  }

  deinit { ownMethods.removeAll() }

  /// The delegate that an object has for a protocol; made when it is first asked for.
  ///
  /// The object keeps it: a closure that captures the object strongly keeps both for ever.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - messageProtocol: The protocol.
  /// - Returns: The same delegate every time, on every thread.
  /// - Throws: `deadReceiver` if the object is dying; where objects cannot have values, the reason;
  ///   `underlyingError` is a `LifetimeError`.
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

  /// A delegate has no methods but those implemented for it.
  public static var methods: MethodTable { MethodTable(DynamicDelegate.self) }

  // MARK: - The real delegate

  /// Who gets the messages that are not implemented here; it is not kept alive.
  ///
  /// For a class receiver it is the class of its delegate's.
  public var realDelegate: (any MessageReceiver)? {
    guard let receiver = real.receiver else { return nil }
    return isClassReceiver ? Self.classReceiver(of: receiver) : receiver
  }

  /// Sets who gets the messages that are not implemented here.
  ///
  /// - Parameter receiver: The real delegate, which must be safe to call from every thread that sends;
  ///   nil for none.
  /// - Throws: `delegateCycle` if it is the delegate itself, or forwards to it through other
  ///   delegates; `invalidMethod` on a class receiver, which has its delegate's.
  public func setRealDelegate(_ receiver: (any MessageReceiver)?) throws(MessageError) {
    guard !isClassReceiver else {
      throw MessageError(
        .invalidMethod,
        "\(self) forwards to the class of its delegate's real delegate; set that on the delegate")
    }
    var seen: Set<ObjectIdentifier> = []
    var next = receiver as? DynamicDelegate
    while let delegate = next, seen.insert(ObjectIdentifier(delegate)).inserted {
      guard delegate.real !== real else {
        throw MessageError(
          .delegateCycle,
          "\(self) would forward messages to itself; its real delegate must be another object")
      }
      next = delegate.real.receiver as? DynamicDelegate
    }
    real.reference.withLock { $0.receiver = receiver }
  }

  /// The delegate's class: who answers the class methods of the protocol.
  ///
  /// Class methods are implemented on it as the others are on the delegate; what is not goes to the
  /// class of the real delegate. The corresponding expression of BlocksKit is `[delegate class]`.
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
  /// The protocol's name, and whether it is a class.
  public var description: String {
    "DynamicDelegate<\(messageProtocol)>" + (isClassReceiver ? ".Class" : "")
  }
}
