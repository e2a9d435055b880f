/// An error of this package: a code, a message with its remedy, the place, and the error that led to it.
///
/// Each product throws one type of error, and all types have this shape, so that a program can treat them
/// alike:
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
/// A product that passes an error of another product on keeps its code, message and place: a block without
/// a signature is `noSignature` in a `BlockError`, in an `InvocationError` and in a `HookError`, and
/// ``underlyingError`` is the error as it was first thrown.
///
/// Two errors of a type are equal if their codes, messages, subjects and places are.
public protocol BlockRuntimeError: Error, Hashable, CustomStringConvertible {
  /// The error's parts, as one reference.
  var details: ErrorDetails { get }

  /// Creates an error from the parts of another.
  init(details: ErrorDetails)
}

extension BlockRuntimeError {
  /// The kinds of failure, the same for all products.
  public typealias Code = ErrorCode

  /// The kind of failure.
  public var code: ErrorCode { details.code }

  /// What is wrong, and how to mend it.
  public var message: String { details.message }

  /// The name or text that the error is about: an encoding, a key path, a selector, a symbol.
  public var subject: String? { details.subject }

  /// Where the failure is, in the subject, in a file or among a call's arguments; nil if it has no place.
  public var place: ErrorPlace? { details.place }

  /// The error that led to this one: of another product, or thrown by a method.
  public var underlyingError: (any Error)? { details.underlyingError }

  /// The code, the place, the subject unless the message names it, and the message, in one line; of a
  /// subject of more than 80 bytes only the beginning.
  public var description: String {
    let message = message
    var text = code.rawValue
    if case .byte(let offset)? = place { text += " at byte \(offset)" }
    if let subject, !subject.isEmpty, !message.contains(subject) {
      let isLong = subject.utf8.count > 80
      text += " in \"\(isLong ? subject.prefix(40) + "…" : subject)\""
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

  /// Creates an error whose message is made whenever it is read: for errors that are mostly caught and not read.
  package init(
    _ code: ErrorCode, subject: String?, at place: ErrorPlace? = nil,
    makingMessage message: @escaping @Sendable () -> String
  ) {
    self.init(details: ErrorDetails(code, .made(message), subject, place, nil))
  }

  /// Passes an error of another product on, with its code and place.
  ///
  /// - Parameters:
  ///   - error: The error of the other product.
  ///   - subject: What the error is about here; nil for the same as there.
  ///   - prefix: What precedes its message, such as "selector: ".
  @usableFromInline
  package init(
    passing error: some BlockRuntimeError, subject: String? = nil, prefix: String = ""
  ) {
    self.init(
      details: ErrorDetails(
        error.code, .prefixed(prefix, error.details), subject ?? error.subject, error.place, error))
  }
}
