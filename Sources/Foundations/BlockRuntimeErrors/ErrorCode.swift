/// A kind of failure, with a name that does not change between versions.
///
/// Each product declares the codes that only it throws; several products throw those declared here,
/// or pass them on.
public struct ErrorCode: Hashable, Sendable, RawRepresentable {
  /// The code's stable name.
  public let rawValue: String

  /// Creates a code from its stable name.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension ErrorCode {
  /// A signature that is malformed or cannot be used; the underlying error may name the place.
  public static let invalidSignature = ErrorCode(rawValue: "invalidSignature")

  /// A value or a function of the wrong type.
  public static let typeMismatch = ErrorCode(rawValue: "typeMismatch")

  /// A type that cannot be passed, returned or encoded.
  public static let unsupportedType = ErrorCode(rawValue: "unsupportedType")

  /// A value that its type does not have, or that is not allowed in its place.
  public static let invalidValue = ErrorCode(rawValue: "invalidValue")

  /// A class or an object without a method of the given name.
  public static let noSuchMethod = ErrorCode(rawValue: "noSuchMethod")

  /// A page of memory whose protection cannot be read or changed.
  public static let protectedMemory = ErrorCode(rawValue: "protectedMemory")

  /// Memory that could not be allocated.
  public static let outOfMemory = ErrorCode(rawValue: "outOfMemory")

  /// A library that cannot be opened.
  public static let libraryNotFound = ErrorCode(rawValue: "libraryNotFound")

  /// A symbol that the library does not define.
  public static let symbolNotFound = ErrorCode(rawValue: "symbolNotFound")

  /// A block without a signature, where one is needed.
  public static let noSignature = ErrorCode(rawValue: "noSignature")

  /// Executable memory that the system refuses.
  public static let noExecutableMemory = ErrorCode(rawValue: "noExecutableMemory")

  /// A signature other than that of the hooks already installed.
  public static let signatureConflict = ErrorCode(rawValue: "signatureConflict")

  /// More or fewer arguments than the signature lists.
  public static let argumentCount = ErrorCode(rawValue: "argumentCount")

  /// An argument index that the signature does not have.
  public static let argumentIndex = ErrorCode(rawValue: "argumentIndex")

  /// A value that the encoded type cannot hold.
  public static let valueOutOfRange = ErrorCode(rawValue: "valueOutOfRange")

  /// A null pointer where the Swift type allows none.
  public static let unexpectedNull = ErrorCode(rawValue: "unexpectedNull")

  /// A result that cannot be read or set: the function is void, the call has not been made, the
  /// block is dying, or a handler that runs before the original sets one.
  public static let noResult = ErrorCode(rawValue: "noResult")

  /// An argument that was never set.
  public static let missingArgument = ErrorCode(rawValue: "missingArgument")

  /// A method or closure of an actor, a task or a thread that was called elsewhere.
  public static let wrongExecutor = ErrorCode(rawValue: "wrongExecutor")
}
