internal import BlockHooks
@_exported public import BlockRuntimeErrors
public import Invocations
internal import ObjectLifetimes

/// Why a message was not sent, answered, forwarded or hooked.
public struct MessageError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A message that the receiver neither answers nor forwards.
  public static let unrecognizedSelector = ErrorCode(rawValue: "unrecognizedSelector")

  /// Receivers that forward a message to each other for ever.
  public static let forwardingLoop = ErrorCode(rawValue: "forwardingLoop")

  /// An error that the method threw; `cause` is that error.
  public static let thrown = ErrorCode(rawValue: "thrown")

  /// A method of the main actor that was called elsewhere.
  public static let wrongExecutor = ErrorCode(rawValue: "wrongExecutor")

  /// A method that does not fit its selector or its class, or whose types cannot be sent.
  public static let invalidMethod = ErrorCode(rawValue: "invalidMethod")

  /// A super send to a method reference, which would call the override again.
  public static let dynamicImplementation = ErrorCode(rawValue: "dynamicImplementation")

  /// A class that exists already, or is used before or after its time.
  public static let classState = ErrorCode(rawValue: "classState")

  /// A receiver that is nil or dead, where no answer is declared.
  public static let deadReceiver = ErrorCode(rawValue: "deadReceiver")

  /// A recording of no message, or of more than one.
  public static let notOneMessage = ErrorCode(rawValue: "notOneMessage")

  /// A message that was recorded, and has no answer of the type that is asked for: inside of `record`
  /// it may pass on.
  public static let recorded = ErrorCode(rawValue: "recorded")
}

extension MessageError {
  /// The message's name, where the failure is one of a message.
  public var selector: Selector? { subject.map { Selector($0) } }

  /// The index of the argument, counted from 0 over receiver and selector, where it is about one.
  public var argument: Int? { place?.argument }

  package init(
    _ code: ErrorCode, _ message: String, selector: Selector?, underlying: (any Error)? = nil
  ) {
    self.init(code, message, subject: selector?.name, underlying: underlying)
  }

  init(_ code: ErrorCode, _ message: String, argument: Int) {
    self.init(code, message, at: .argument(argument))
  }

  /// What a method threw; an error of a message inside of it passes as it is.
  @usableFromInline
  init(thrown error: any Error, by selector: Selector) {
    if let error = error as? MessageError {
      self = error
    } else {
      self.init(.thrown, "\(selector) threw \(error)", selector: selector, underlying: error)
    }
  }

  package init(_ error: some BlockRuntimeError, _ selector: Selector?) {
    self.init(
      passing: error, subject: selector?.name, prefix: selector.map { "`\($0)`: " } ?? "")
  }

  /// Why an object can have no values: `deadReceiver` if it is dying, else the error's own code.
  init(_ error: LifetimeError, consequence: String) {
    self.init(
      error.code == .objectIsDying ? .deadReceiver : error.code,
      "\(consequence): \(error.message)", underlying: error)
  }
}
