#if Macros
public import Invocations
public import MessageForwarding

/// A receiver of messages for an object that conforms to a protocol with the attribute
/// `Forwarding`.
///
/// ```swift
/// let receiver = PageDelegateRequirements.receiver(for: delegate)
/// try receiver.send("page:didLoad:", page, 3)  // delegate.page(page, didLoad: 3)
/// ```
///
/// It retains the object, and calls it on the sender's thread. The receiver responds to all
/// requirements, because only a call shows whether the object leaves an optional one out: then the
/// message throws `unrecognizedSelector`. Requirements that are `async` or isolated to an actor,
/// and those that are no messages, are not received.
public final class ConformingReceiver<Requirements: ForwardedRequirements>: MessageProxy {
  /// The object.
  public let target: Requirements.Target

  init(_ target: Requirements.Target) { self.target = target }

  /// The requirements of the protocol.
  public static var methods: MethodTable {
    MethodTable(ConformingReceiver.self) { Requirements._methods(of: Requirements.self) { $0 } }
  }

  /// The protocol.
  public static var answeredProtocols: [MessageProtocol] {
    get throws(MessageError) { try [Requirements.messageProtocol] }
  }

  /// Makes the method of a requirement.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - body: Calls the object.
  /// - Returns: The method.
  public static func method<each Argument, Answer>(
    _ selector: Selector,
    _ body: @escaping @Sendable (Requirements.Target, repeat each Argument) throws -> Answer
  ) -> Method {
    Method(selector) { (receiver: ConformingReceiver, arguments: repeat each Argument) in
      try body(receiver.target, repeat each arguments)
    }
  }

  /// Makes the method of a requirement that the object may leave out.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - requirement: The requirement.
  ///   - body: Calls the object.
  /// - Returns: The method.
  public static func optionalMethod<each Argument, Answer>(
    _ selector: Selector, _ requirement: OptionalRequirement,
    _ body: @escaping @Sendable (Requirements.Target, repeat each Argument) throws -> Answer
  ) -> Method {
    method(selector) { (target: Requirements.Target, arguments: repeat each Argument) in
      let answer = try requirement.askThrowing(target as AnyObject) {
        try body(target, repeat each arguments)
      }
      guard let answer else {
        throw MessageError(
          .unrecognizedSelector,
          "\(type(of: target)) leaves the optional requirement `\(selector)` out",
          selector: selector)
      }
      return answer
    }
  }
}

extension ForwardedRequirements {
  /// A receiver of messages for an object that conforms to the protocol.
  ///
  /// - Parameter target: The object, which the receiver retains.
  /// - Returns: The receiver.
  public static func receiver(for target: Target) -> ConformingReceiver<Self> {
    ConformingReceiver(target)
  }
}
#endif
