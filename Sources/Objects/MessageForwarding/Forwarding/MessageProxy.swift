public import Invocations

/// A proxy: a receiver without methods, whose protocols say which messages it answers.
///
/// ```swift
/// final class Spy: MessageProxy {
///   static let pages = Result { () throws(MessageError) in
///     try MessageProtocol("PageDelegate", [.required("page:didLoad:", signature: "v@:@i")])
///   }
///   static var answeredProtocols: [MessageProtocol] {
///     get throws(MessageError) { [try pages.get()] }
///   }
///   func forwardInvocation(_ invocation: Invocation) throws { print(invocation) }
/// }
/// ```
///
/// The protocols give the signatures of the messages, so that the class needs no
/// `methodSignature(for:)`. The proxy responds to all of them. If its `forwardInvocation(_:)`
/// throws `unrecognized(_:)`, as the default does, nobody answers the message: whoever sends an
/// optional message goes on without an answer.
///
/// A class whose superclass declares `methodSignature(for:)` or `responds(to:)` inherits those.
///
/// The corresponding Objective-C class is `NSProxy`, with `methodSignatureForSelector:`.
public protocol MessageProxy: MessageReceiver {
  /// The protocols whose messages the instances answer; asked whenever a message without a method
  /// is looked up.
  static var answeredProtocols: [MessageProtocol] { get throws(MessageError) }
}

extension MessageProxy {
  /// No methods.
  public static var methods: MethodTable { MethodTable(Self.self) }
}

extension MessageReceiver {
  /// The error of a message that the receiver does not answer: `-doesNotRecognizeSelector:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The error `unrecognizedSelector`, to be thrown by `forwardInvocation(_:)`.
  public func unrecognized(_ selector: Selector?) -> MessageError {
    MethodLookup.unrecognized(selector, self)
  }

  /// The description of a message that the receiver answers as a proxy.
  package func answered(_ selector: Selector) -> MethodDescription? {
    guard let proxy = self as? any MessageProxy else { return nil }
    let protocols = (try? type(of: proxy).answeredProtocols) ?? []
    return protocols.lazy.compactMap { $0.method(selector) }.first
  }
}
