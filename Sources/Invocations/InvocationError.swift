public import BlockABI
public import TypeEncodings

/// Why a call could not be described, made or answered.
public struct InvocationError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A signature that is malformed, or whose string hides a type.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// A type that cannot be passed by value, though it has a layout.
    public static let unsupportedType = Code(rawValue: "unsupportedType")
    /// A block that cannot be called or changed; the cause says why.
    public static let unusableBlock = Code(rawValue: "unusableBlock")
    /// More or fewer arguments than the signature lists.
    public static let argumentCount = Code(rawValue: "argumentCount")
    /// An argument index that the signature does not have.
    public static let argumentIndex = Code(rawValue: "argumentIndex")
    /// A Swift type that does not fit the encoded one.
    public static let typeMismatch = Code(rawValue: "typeMismatch")
    /// A value that the encoded type cannot hold.
    public static let valueOutOfRange = Code(rawValue: "valueOutOfRange")
    /// A null pointer where the Swift type allows none.
    public static let unexpectedNull = Code(rawValue: "unexpectedNull")
    /// An argument that was never set.
    public static let missingArgument = Code(rawValue: "missingArgument")
    /// An invocation without a block or function to call.
    public static let missingTarget = Code(rawValue: "missingTarget")
    /// A result that does not exist: a void one, or one of a call that has not been made.
    public static let noResult = Code(rawValue: "noResult")
    /// `proceed()` where nothing can be proceeded to.
    public static let cannotProceed = Code(rawValue: "cannotProceed")
    /// An error for a caller that can receive none.
    public static let cannotThrow = Code(rawValue: "cannotThrow")
    /// A library that cannot be opened.
    public static let libraryNotFound = Code(rawValue: "libraryNotFound")
    /// A symbol that the library does not define.
    public static let symbolNotFound = Code(rawValue: "symbolNotFound")
    /// Executable memory that the system refuses.
    public static let noExecutableMemory = Code(rawValue: "noExecutableMemory")
  }

  /// What is told of a failure.
  private struct Details: Hashable, Sendable {
    let code: Code
    let message: String
    let argument: Int?
    let encodingError: TypeEncodingError?
    let blockError: BlockError?
  }

  /// One pointer to the details: small errors keep the calls small that might throw them.
  private indirect enum Box: Hashable, Sendable {
    case details(Details)
  }

  private let box: Box

  private var details: Details {
    switch box {
    case .details(let details): details
    }
  }

  /// The kind of failure.
  public var code: Code { details.code }

  /// What is wrong, and how to mend it.
  public var message: String { details.message }

  /// The index of the argument concerned, hidden ones counted; nil where it is none.
  public var argument: Int? { details.argument }

  /// The error in an encoding that led to this one.
  public var encodingError: TypeEncodingError? { details.encodingError }

  /// The error of a block that led to this one.
  public var blockError: BlockError? { details.blockError }

  package init(
    _ code: Code, _ message: String, argument: Int? = nil,
    encodingError: TypeEncodingError? = nil, blockError: BlockError? = nil
  ) {
    box = .details(
      Details(
        code: code, message: message, argument: argument, encodingError: encodingError,
        blockError: blockError))
  }

  package init(_ error: TypeEncodingError, argument: Int? = nil) {
    self.init(.invalidSignature, error.located, argument: argument, encodingError: error)
  }

  package init(_ error: BlockError) {
    self.init(.unusableBlock, error.message, encodingError: error.encodingError, blockError: error)
  }
}

extension TypeEncodingError {
  /// The message with the encoding and the place in it, for errors that do not show them otherwise.
  fileprivate var located: String {
    let place = offset.map { ", byte \($0)" } ?? ""
    return "\(message) (in \(input)\(place))"
  }
}

extension InvocationError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
