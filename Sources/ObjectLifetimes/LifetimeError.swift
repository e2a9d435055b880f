@_exported public import BlockRuntimeErrors

/// Why an object's lifetime cannot be followed.
public struct LifetimeError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// An object whose last reference is gone.
  public static let objectIsDying = ErrorCode(rawValue: "objectIsDying")

  /// Something that is an object, but of no Swift class: a block.
  public static let unsupportedObject = ErrorCode(rawValue: "unsupportedObject")
}
