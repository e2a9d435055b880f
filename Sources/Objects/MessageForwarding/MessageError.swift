internal import BlockHooks
@_exported public import BlockRuntimeErrors
public import Invocations
internal import ObjectLifetimes

/// An error of sending, forwarding, recording or hooking a message, or of declaring a method.
public struct MessageError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another error.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A message for which the receiver has no method, and which it does not forward.
  public static let unrecognizedSelector = ErrorCode(rawValue: "unrecognizedSelector")

  /// Receivers that forward a message to each other without end.
  public static let forwardingLoop = ErrorCode(rawValue: "forwardingLoop")

  /// An error that the method threw; `cause` is that error.
  public static let thrown = ErrorCode(rawValue: "thrown")

  /// A method that does not fit its selector or its class, or whose types cannot be sent.
  public static let invalidMethod = ErrorCode(rawValue: "invalidMethod")

  /// A method that was to be added to an object which has a method of that name.
  public static let methodExists = ErrorCode(rawValue: "methodExists")

  /// A super send to a method reference, which would call the override again.
  public static let dynamicImplementation = ErrorCode(rawValue: "dynamicImplementation")

  /// A class whose name is taken, or that is used before its registration or after its disposal.
  public static let classState = ErrorCode(rawValue: "classState")

  /// A receiver that is nil or dead, if no answer for that case is declared.
  public static let deadReceiver = ErrorCode(rawValue: "deadReceiver")

  /// A recording of no message, or of more than one.
  public static let notOneMessage = ErrorCode(rawValue: "notOneMessage")

  /// A message that was recorded, and whose result type has no zero: the closure of `record` may
  /// throw this error on.
  public static let recorded = ErrorCode(rawValue: "recorded")

  /// A protocol that declares a method twice, or an invalid method.
  public static let invalidProtocol = ErrorCode(rawValue: "invalidProtocol")

  /// A method for a delegate whose protocol does not declare it.
  public static let undeclaredSelector = ErrorCode(rawValue: "undeclaredSelector")

  /// A message that a delegate's protocol requires, and for which there is no method.
  public static let missingRequiredMethod = ErrorCode(rawValue: "missingRequiredMethod")

  /// A delegate that would forward messages to itself.
  public static let delegateCycle = ErrorCode(rawValue: "delegateCycle")
}

extension MessageError {
  /// The message's name, if the error is about a message.
  public var selector: Selector? { subject.flatMap { Selector.known($0) } }

  /// The index of the argument, if the error is about an argument; the receiver is 0, the selector
  /// 1.
  public var argument: Int? { place?.argument }

  package init(
    _ code: ErrorCode, _ message: String, selector: Selector?, underlying: (any Error)? = nil
  ) {
    self.init(code, message, subject: selector?.name, underlying: underlying)
  }

  /// Creates an error whose text begins with the name of the message.
  init(
    _ code: ErrorCode, of selector: Selector, _ text: String, underlying: (any Error)? = nil
  ) {
    self.init(code, "`\(selector)`: \(text)", selector: selector, underlying: underlying)
  }

  init(_ code: ErrorCode, _ message: String, argument: Int) {
    self.init(code, message, at: .argument(argument))
  }

  /// Creates an error from one that a method threw; a `MessageError` is not wrapped.
  @usableFromInline
  init(thrown error: any Error, by selector: Selector) {
    if let error = error as? MessageError {
      self = error
    } else {
      self.init(.thrown, of: selector, "\(error)", underlying: error)
    }
  }

  package init(_ error: some BlockRuntimeError, _ selector: Selector?) {
    self.init(
      passing: error, subject: selector?.name, prefix: selector.map { "`\($0)`: " } ?? "")
  }

  /// Creates an error for an object that can have no associated values: `deadReceiver` if the
  /// object is dying, otherwise with the code of `error`.
  init(_ error: LifetimeError, consequence: String) {
    self.init(
      error.code == .objectIsDying ? .deadReceiver : error.code,
      "\(consequence): \(error.message)", underlying: error)
  }
}
