@_exported public import BlockRuntimeErrors

/// An error of a closure that was called elsewhere than where it belongs.
public struct IsolationError: BlockRuntimeError {
  /// The parts of the error.
  public let details: ErrorDetails

  /// Creates an error from the parts of another error.
  public init(details: ErrorDetails) { self.details = details }
}
