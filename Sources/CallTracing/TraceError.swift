@_exported public import BlockRuntimeErrors

/// Why calls cannot be traced, or a trace not be written or read.
public struct TraceError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A file that a trace cannot be written to.
  public static let outputUnavailable = ErrorCode(rawValue: "outputUnavailable")

  /// A trace of another process that is none, or was damaged.
  public static let damagedTrace = ErrorCode(rawValue: "damagedTrace")
}
