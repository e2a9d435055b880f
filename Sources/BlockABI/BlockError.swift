public import TypeEncodings

/// Why a block was refused: a code, a message with the remedy, and the cause where there is one.
public struct BlockError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A value that is no `@convention(block)` closure.
    public static let notABlock = Code(rawValue: "notABlock")
    /// A block without a signature, where one is needed.
    public static let noSignature = Code(rawValue: "noSignature")
    /// A signature that is malformed or not a block's.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// A type that differs from what the block's signature says.
    public static let signatureMismatch = Code(rawValue: "signatureMismatch")
    /// A page of memory whose protection could not be read or changed.
    public static let protectedMemory = Code(rawValue: "protectedMemory")
    /// Memory that could not be allocated.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  /// The error in an encoding that led to this one.
  public let encodingError: TypeEncodingError?

  package init(_ code: Code, _ message: String, encodingError: TypeEncodingError? = nil) {
    self.code = code
    self.message = message
    self.encodingError = encodingError
  }
}

extension BlockError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
