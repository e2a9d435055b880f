internal import BlockHooks
public import Invocations
internal import ObjectLifetimes

/// Why a message was not sent, answered, forwarded or hooked: a code, a message with the remedy, and
/// what it is about.
public struct MessageError: Error, Sendable {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A message that the receiver neither answers nor forwards.
    public static let unrecognizedSelector = Code(rawValue: "unrecognizedSelector")
    /// Receivers that forward a message to each other for ever.
    public static let forwardingLoop = Code(rawValue: "forwardingLoop")
    /// More or fewer arguments than the method takes.
    public static let argumentCount = Code(rawValue: "argumentCount")
    /// An argument or a result of another type than the method's.
    public static let typeMismatch = Code(rawValue: "typeMismatch")
    /// A value that the method's type cannot hold.
    public static let valueOutOfRange = Code(rawValue: "valueOutOfRange")
    /// A null pointer or object where the Swift type allows none.
    public static let unexpectedNull = Code(rawValue: "unexpectedNull")
    /// A result that does not exist.
    public static let noResult = Code(rawValue: "noResult")
    /// An error that the method threw; `cause` is that error.
    public static let thrown = Code(rawValue: "thrown")
    /// A type encoding that is no signature, or that a call cannot have.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// A type that cannot be passed or returned.
    public static let unsupportedType = Code(rawValue: "unsupportedType")
    /// An argument, or a receiver, that was never set.
    public static let missingArgument = Code(rawValue: "missingArgument")
    /// The system allows no executable memory, which a block or a function needs that is made at run time.
    public static let noExecutableMemory = Code(rawValue: "noExecutableMemory")
    /// A method of the main actor that was called elsewhere.
    public static let wrongExecutor = Code(rawValue: "wrongExecutor")
    /// A method that does not fit its selector or its class, or whose types cannot be sent.
    public static let invalidMethod = Code(rawValue: "invalidMethod")
    /// A super send to a method reference, which would call the override again.
    public static let dynamicImplementation = Code(rawValue: "dynamicImplementation")
    /// A class that has no method of the name.
    public static let noSuchMethod = Code(rawValue: "noSuchMethod")
    /// A class that exists already, or is used before or after its time.
    public static let classState = Code(rawValue: "classState")
    /// A hook that was refused; `cause` is a `HookError`.
    public static let hookRefused = Code(rawValue: "hookRefused")
    /// A receiver that is nil or dead, where no answer is declared.
    public static let deadReceiver = Code(rawValue: "deadReceiver")
    /// A recording of no message, or of more than one.
    public static let notOneMessage = Code(rawValue: "notOneMessage")
    /// A message that was recorded, and has no answer of the type that is asked for: inside of `record`
    /// it may pass on.
    public static let recorded = Code(rawValue: "recorded")
  }

  private struct Details: Sendable {
    let code: Code
    let message: String
    let selector: Selector?
    let argument: Int?
    let cause: (any Error)?
  }

  /// One pointer to the details: small errors keep the calls small that might throw them.
  private indirect enum Box: Sendable {
    case details(Details)
  }

  private let box: Box

  private var details: Details {
    switch box {
    case .details(let details): details
    }
  }

  /// The kind of failure.
  public var code: Code { details.code }

  /// What is wrong, and how to mend it.
  public var message: String { details.message }

  /// The message's name, where the failure is one of a message.
  public var selector: Selector? { details.selector }

  /// The index of the argument, counted from 0 over receiver and selector, where it is about one.
  public var argument: Int? { details.argument }

  /// The error that led to this one: what the method threw, an `InvocationError`, a `HookError`.
  public var cause: (any Error)? { details.cause }

  package init(
    _ code: Code, _ message: String, selector: Selector? = nil, argument: Int? = nil,
    cause: (any Error)? = nil
  ) {
    box = .details(
      Details(code: code, message: message, selector: selector, argument: argument, cause: cause))
  }

  /// What a method threw; an error of a message inside of it passes as it is.
  @usableFromInline
  init(thrown error: any Error, by selector: Selector) {
    if let error = error as? MessageError {
      self = error
    } else {
      self.init(.thrown, "\(selector) threw \(error)", selector: selector, cause: error)
    }
  }

  package init(_ error: InvocationError, _ selector: Selector?) {
    self.init(
      Code(rawValue: error.code.rawValue),
      (selector.map { "`\($0)`: " } ?? "") + error.message, selector: selector,
      argument: error.argument, cause: error)
  }

  /// Why an object can have no values: `deadReceiver` if it is dying, else the error's own code.
  init(_ error: LifetimeError, _ consequence: String) {
    self.init(
      error.code == .objectIsDying ? .deadReceiver : Code(rawValue: error.code.rawValue),
      "\(consequence): \(error.message)", cause: error)
  }

  init(_ error: HookError, _ selector: Selector) {
    self.init(.hookRefused, "`\(selector)`: \(error.message)", selector: selector, cause: error)
  }
}

extension MessageError: Hashable {
  /// Whether two errors have the same code, message, selector and argument; causes aside.
  public static func == (left: MessageError, right: MessageError) -> Bool {
    left.code == right.code && left.message == right.message && left.selector == right.selector
      && left.argument == right.argument
  }

  /// Feeds the code, message, selector and argument into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(selector)
    hasher.combine(argument)
  }
}

extension MessageError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
