@_exported public import BlockRuntimeErrors

/// Why an operation on a block was refused.
public struct BlockError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A value that is not a `@convention(block)` closure.
  public static let notABlock = ErrorCode(rawValue: "notABlock")
}
