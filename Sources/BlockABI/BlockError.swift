@_exported public import BlockRuntimeErrors

/// Why a block was refused.
public struct BlockError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A value that is no `@convention(block)` closure.
  public static let notABlock = ErrorCode(rawValue: "notABlock")
}
