@_exported public import BlockRuntimeErrors
package import TypeEncodings

/// Why a call could not be described, made or answered.
public struct InvocationError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// An invocation without a block or function to call.
  public static let missingTarget = ErrorCode(rawValue: "missingTarget")

  /// `proceed()` where nothing can be proceeded to.
  public static let cannotProceed = ErrorCode(rawValue: "cannotProceed")

  /// Variable arguments of a call that has none.
  public static let notVariadic = ErrorCode(rawValue: "notVariadic")

  /// `proceed()` in a call whose variable arguments nobody has named.
  public static let unnamedArguments = ErrorCode(rawValue: "unnamedArguments")

  /// An error for a caller that can receive none.
  public static let cannotThrow = ErrorCode(rawValue: "cannotThrow")
}

extension InvocationError {
  /// The index of the argument concerned, hidden ones counted; nil if the error concerns none.
  public var argument: Int? { place?.argument }

  package init(_ code: ErrorCode, _ message: String, argument: Int?) {
    self.init(code, message, at: argument.map { .argument($0) })
  }

  /// Passes on a failure in an encoding as `invalidSignature`, with the encoding and the place in
  /// the message.
  package init(_ error: TypeEncodingError, argument: Int? = nil) {
    let offset = error.offset.map { ", byte \($0)" } ?? ""
    self.init(
      .invalidSignature, "\(error.message) (in \(error.input)\(offset))",
      at: argument.map { .argument($0) }, underlying: error)
  }

  /// Returns a value, or throws the failure in an encoding that there is instead of it.
  static func passing<Value>(
    _ value: @autoclosure () throws(TypeEncodingError) -> Value
  ) throws(InvocationError) -> Value {
    do { return try value() } catch { throw InvocationError(error) }
  }
}
