@_exported public import BlockRuntimeErrors

/// Why the results of a block cannot be stored.
public struct MemoizationError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A limit of a memoizing hook under which nothing could be stored.
  public static let invalidLimit = ErrorCode(rawValue: "invalidLimit")

  /// A block whose results cannot be stored by its arguments.
  public static let notMemoizable = ErrorCode(rawValue: "notMemoizable")
}
