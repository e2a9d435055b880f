/// The types of a block's, method's or function's result and arguments, as its encoding gives them.
///
/// The corresponding Objective-C class is `NSMethodSignature`.
public struct MethodSignature: Hashable, Sendable {
  /// The kind of callee, which decides the hidden arguments.
  public enum Form: String, Hashable, Sendable {
    /// A block: argument 0 is the block itself.
    case block
    /// A method: argument 0 is the receiver, argument 1 the selector.
    case method
    /// A plain function: no argument is hidden.
    case function

    /// How many arguments are hidden.
    package var hiddenCount: Int {
      switch self {
      case .block: 1
      case .method: 2
      case .function: 0
      }
    }
  }

  /// One argument: its type and, if the encoding gives it, its position in the frame.
  public struct Argument: Hashable, Sendable {
    /// The argument's type.
    public var encoding: TypeEncoding

    /// The argument's position in the frame, in bytes, if the encoding gives it.
    public var frameOffset: FrameOffset?

    /// Creates an argument.
    public init(_ encoding: TypeEncoding, frameOffset: FrameOffset? = nil) {
      self.encoding = encoding
      self.frameOffset = frameOffset
    }
  }

  /// An argument's position in the frame, with the mark that older compilers put on register
  /// arguments.
  public struct FrameOffset: Hashable, Sendable {
    /// The offset in bytes; negative only in foreign dialects.
    public var bytes: Int

    /// Whether the offset is marked with `+`, as passed in a register.
    public var isMarkedAsRegister: Bool

    /// Whether an offset of 0 is written `-0`, as in dialects whose frames grow downwards.
    public var isNegativeZero: Bool

    /// Creates a frame offset.
    public init(_ bytes: Int, isMarkedAsRegister: Bool = false, isNegativeZero: Bool = false) {
      self.bytes = bytes
      self.isMarkedAsRegister = isMarkedAsRegister
      self.isNegativeZero = isNegativeZero
    }
  }

  /// The result's type.
  public var result: TypeEncoding

  /// The size of all arguments in the frame, in bytes, if the encoding gives it.
  public var frameSize: FrameOffset?

  /// All arguments, hidden ones included; a block's first declared parameter is argument 1.
  public var arguments: [Argument]

  /// Creates a signature from its parts.
  public init(result: TypeEncoding, frameSize: FrameOffset? = nil, arguments: [Argument]) {
    self.result = result
    self.frameSize = frameSize
    self.arguments = arguments
  }
}

extension MethodSignature {
  /// The kind of callee, as the hidden arguments show it.
  ///
  /// A block has a block (`@?`) as argument 0; a method has an object or class and then a selector.
  public var form: Form {
    switch arguments.first?.encoding.type {
    case .block: .block
    case .object, .primitive(.classObject):
      arguments.count > 1 && arguments[1].encoding.type == .primitive(.selector)
        ? .method : .function
    default: .function
    }
  }
}
