@_exported public import BlockRuntimeErrors

/// An error of the installation or use of a hook.
public struct HookError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A block on the stack, whose end cannot be observed.
  public static let stackBlock = ErrorCode(rawValue: "stackBlock")

  /// The `original` of a typed hook, which cannot have hooks of its own.
  public static let originalOfHook = ErrorCode(rawValue: "originalOfHook")

  /// A block that has 1,000 hooks, or 250 that run instead of it.
  public static let tooManyHooks = ErrorCode(rawValue: "tooManyHooks")

  /// A hook that needs a frame, on a block whose calls have none.
  public static let noFrame = ErrorCode(rawValue: "noFrame")

  /// A hook without any position.
  public static let noPosition = ErrorCode(rawValue: "noPosition")

  /// A condition that no call can meet.
  public static let invalidCondition = ErrorCode(rawValue: "invalidCondition")

  /// A placeholder that cannot be a result of the block.
  public static let invalidPlaceholder = ErrorCode(rawValue: "invalidPlaceholder")

  /// A second decision about an intercepted call.
  public static let interceptionDecided = ErrorCode(rawValue: "interceptionDecided")

  /// An intercepted call whose last reference was released before a decision.
  public static let interceptionDropped = ErrorCode(rawValue: "interceptionDropped")

  /// An intercepted call that was not decided in time.
  public static let interceptionTimedOut = ErrorCode(rawValue: "interceptionTimedOut")

  /// A block, or an object, that has died.
  public static let deadBlock = ErrorCode(rawValue: "deadBlock")
}
