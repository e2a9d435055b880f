/// An error of this package: a code, a message that names a remedy, a place, and an underlying
/// error.
///
/// Each module that refuses anything throws one type of error, and all these types conform to this
/// protocol, so that a program can handle them alike:
///
/// ```swift
/// func report(_ work: () throws -> Void) rethrows {
///   do {
///     try work()
///   } catch let error as any BlockRuntimeError {
///     print(error.code.rawValue, error.message)
///   }
/// }
/// ```
///
/// A product that passes on an error of another product preserves its code and place, and its
/// message, perhaps after a prefix: the code for a block without a signature is `noSignature` in a
/// `BlockError`, in an `InvocationError` and in a `HookError`, and ``underlyingError`` is the error
/// as it was first thrown.
///
/// Two errors of the same type are equal if their codes, messages, subjects and places are equal.
public protocol BlockRuntimeError: Error, Hashable, CustomStringConvertible {
  /// The parts of the error.
  var details: ErrorDetails { get }

  /// Creates an error from the parts of another error.
  init(details: ErrorDetails)
}

extension BlockRuntimeError {
  /// The kind of a failure; all products use the same type.
  public typealias Code = ErrorCode

  /// The kind of failure.
  public var code: ErrorCode { details.code }

  /// The message: what is wrong, and how to fix it.
  public var message: String { details.message }

  /// The name or text that the error is about, such as an encoding, a key path, a selector or a
  /// symbol.
  public var subject: String? { details.subject }

  /// The place of the failure in the subject, in a file or among a call's arguments; nil if it has
  /// none.
  public var place: ErrorPlace? { details.place }

  /// The error that caused this one: an error of another product, or one that a method threw.
  public var underlyingError: (any Error)? { details.underlyingError }

  /// The code, the byte offset if there is one, the subject unless the message contains it, and the
  /// message, in one line.
  ///
  /// Of a subject of more than 80 characters only the beginning is shown.
  public var description: String {
    let message = message
    var text = code.rawValue
    if case .byte(let offset)? = place { text += " at byte \(offset)" }
    if let subject, !subject.isEmpty, subject.count < 3 || !message.contains(subject) {
      text += " in \"\(subject.count > 80 ? subject.prefix(80) + "…" : subject)\""
    }
    return "\(text): \(message)"
  }

  /// Creates an error.
  @usableFromInline
  package init(
    _ code: ErrorCode, _ message: String, subject: String? = nil, at place: ErrorPlace? = nil,
    underlying: (any Error)? = nil
  ) {
    self.init(details: ErrorDetails(code, .text(message), subject, place, underlying))
  }

  /// Creates an error whose message is made when it is read, for errors that are mostly caught
  /// unread.
  package init(
    _ code: ErrorCode, subject: String?, at place: ErrorPlace? = nil,
    makingMessage message: @escaping @Sendable () -> String
  ) {
    self.init(details: ErrorDetails(code, .made(message), subject, place, nil))
  }

  /// Creates an error from an error of another product, with its code, place and message.
  ///
  /// - Parameters:
  ///   - error: The error of the other product, which becomes the underlying error.
  ///   - subject: What the new error is about; nil for the subject of the other error.
  ///   - prefix: A prefix for the message, such as "selector: ".
  @usableFromInline
  package init(
    passing error: some BlockRuntimeError, subject: String? = nil, prefix: String = ""
  ) {
    self.init(
      details: ErrorDetails(
        error.code, .prefixed(prefix, error.details), subject ?? error.subject, error.place,
        error.underlyingError as? any BlockRuntimeError ?? error))
  }
}
