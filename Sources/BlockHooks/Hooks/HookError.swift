public import BlockABI
public import Invocations

/// Why a hook was refused: a code, a message with the remedy, and the cause where there is one.
public struct HookError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A block on the stack, which ends without notice.
    public static let stackBlock = Code(rawValue: "stackBlock")
    /// The `original` of a typed hook, which has no hooks of its own.
    public static let originalOfHook = Code(rawValue: "originalOfHook")
    /// A block without a signature.
    public static let noSignature = Code(rawValue: "noSignature")
    /// A signature that is malformed, hides a type or holds one that cannot be passed by value.
    public static let unsupportedSignature = Code(rawValue: "unsupportedSignature")
    /// A signature other than that of the hooks already installed.
    public static let signatureConflict = Code(rawValue: "signatureConflict")
    /// A block that has 1,000 hooks, or 250 that run instead of it.
    public static let tooManyHooks = Code(rawValue: "tooManyHooks")
    /// A typed hook of another type than the block; the message names the differences.
    public static let typeMismatch = Code(rawValue: "typeMismatch")
    /// A hook without any position.
    public static let noPosition = Code(rawValue: "noPosition")
    /// A condition that no call can meet.
    public static let invalidCondition = Code(rawValue: "invalidCondition")
    /// A placeholder that is no result of the block.
    public static let invalidPlaceholder = Code(rawValue: "invalidPlaceholder")
    /// A second decision about an intercepted call.
    public static let interceptionDecided = Code(rawValue: "interceptionDecided")
    /// An intercepted call that nobody decided about and nobody holds any more.
    public static let interceptionDropped = Code(rawValue: "interceptionDropped")
    /// An intercepted call that nobody decided about in time.
    public static let interceptionTimedOut = Code(rawValue: "interceptionTimedOut")
    /// A block that died meanwhile.
    public static let deadBlock = Code(rawValue: "deadBlock")
    /// A block in a page that cannot be made writable.
    public static let protectedMemory = Code(rawValue: "protectedMemory")
    /// Memory, or executable memory, that the system refuses.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// A limit of a memoising hook under which nothing could be kept.
    public static let invalidLimit = Code(rawValue: "invalidLimit")
    /// A block whose results cannot be kept by its arguments.
    public static let notMemoizable = Code(rawValue: "notMemoizable")
    /// A recording that cannot be written.
    public static let recordingFailed = Code(rawValue: "recordingFailed")
    /// A file that a trace cannot be written to.
    public static let outputUnavailable = Code(rawValue: "outputUnavailable")
    /// A trace of another process that is none, or was damaged.
    public static let damagedTrace = Code(rawValue: "damagedTrace")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  /// The block's error that led to this one.
  public let blockError: BlockError?

  /// The invocation's error that led to this one.
  public let invocationError: InvocationError?

  package init(
    _ code: Code, _ message: String, blockError: BlockError? = nil,
    invocationError: InvocationError? = nil
  ) {
    self.code = code
    self.message = message
    self.blockError = blockError
    self.invocationError = invocationError
  }

  @usableFromInline
  init(_ error: BlockError) {
    let code: Code =
      switch error.code {
      case .noSignature: .noSignature
      case .protectedMemory: .protectedMemory
      case .outOfMemory: .outOfMemory
      case .notABlock, .signatureMismatch: .typeMismatch
      default: .unsupportedSignature
      }
    self.init(code, error.message, blockError: error)
  }

  package init(_ error: InvocationError) {
    if let blockError = error.blockError {
      self.init(blockError)
    } else {
      let code: Code = error.code == .noExecutableMemory ? .outOfMemory : .unsupportedSignature
      self.init(code, error.message, invocationError: error)
    }
  }
}

extension HookError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
