@_exported public import BlockRuntimeErrors

/// An error of hooks, values or weak references of objects: why an object cannot have them.
public struct LifetimeError: BlockRuntimeError {
  /// The parts of the error.
  public let details: ErrorDetails

  /// Creates an error from the parts of another error.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// An object whose last reference has been released.
  public static let objectIsDying = ErrorCode(rawValue: "objectIsDying")

  /// An object that has no Swift class, such as a block.
  public static let unsupportedObject = ErrorCode(rawValue: "unsupportedObject")
}
