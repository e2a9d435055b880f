@_exported public import BlockRuntimeErrors

/// An error of a delayed block that cannot be scheduled.
public struct DelayError: BlockRuntimeError {
  /// The parts of the error.
  public let details: ErrorDetails

  /// Creates an error from the parts of another error.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// An interval that is shorter than a nanosecond.
  public static let invalidInterval = ErrorCode(rawValue: "invalidInterval")
}
