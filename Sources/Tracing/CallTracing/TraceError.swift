@_exported public import BlockRuntimeErrors

/// Why calls cannot be traced, or a trace cannot be written or read.
public struct TraceError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A file to which a trace cannot be written.
  public static let outputUnavailable = ErrorCode(rawValue: "outputUnavailable")

  /// A trace of another process that is invalid or was damaged.
  public static let damagedTrace = ErrorCode(rawValue: "damagedTrace")
}
