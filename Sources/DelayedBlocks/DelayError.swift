@_exported public import BlockRuntimeErrors

/// Why a delayed block was refused.
public struct DelayError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// An interval that is shorter than a nanosecond.
  public static let invalidInterval = ErrorCode(rawValue: "invalidInterval")
}
