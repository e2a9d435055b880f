public import BlockRuntimeErrors

/// Why locations of code could not be found.
public struct SourceLocationError: BlockRuntimeError {
  /// The parts of the error.
  public let details: ErrorDetails

  /// Creates an error from the parts of another error.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// The program that reads debug information is missing or failed.
  public static let noSymbolizer = ErrorCode(rawValue: "noSymbolizer")
}
