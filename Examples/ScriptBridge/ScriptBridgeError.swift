/// Why a call over the bridge has no result, or something was refused.
public struct ScriptBridgeError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure; scripts find the name as the error's `code`.
  public enum Code: String, Sendable {
    /// The other side has no handler of that name.
    case unknownHandler
    /// Too many or too few arguments, or one of a type that the handler does not take.
    case invalidArguments
    /// A value that is no JSON: a function, a number that is not finite, half a character.
    case invalidValue
    /// The handler threw an error, or answered with one.
    case handlerFailed
    /// The handler let go of the call without an answer.
    case unanswered
    /// The call has its answer already; one is enough.
    case alreadyAnswered
    /// There is no exported object of the name any more, or the call of a replaced method is over.
    case gone
    /// There was no answer in time.
    case timedOut
    /// The task that waited for the answer was cancelled.
    case cancelled
    /// The bridge was reset, or given up, before there was an answer.
    case closed
    /// A block whose parameters or result scripts have no values for.
    case unsupportedHandler
    /// A script that does not compile, or threw an error.
    case scriptFailed
  }

  /// The kind of failure.
  public let code: Code

  /// What is wrong, and where it helps how to mend it.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
