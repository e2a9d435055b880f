@_exported public import BlockRuntimeErrors

/// Why a Swift method was refused.
public struct SwiftMethodError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A class whose methods cannot be found: it is generic, or was made at run time.
  public static let unsupportedClass = ErrorCode(rawValue: "unsupportedClass")

  /// Several methods of one name.
  public static let ambiguousMethod = ErrorCode(rawValue: "ambiguousMethod")

  /// A method whose declaration is not to be found.
  public static let noSymbol = ErrorCode(rawValue: "noSymbol")

  /// A kind of method whose calls C cannot make.
  public static let unsupportedMethod = ErrorCode(rawValue: "unsupportedMethod")

  /// A processor whose calls are not known.
  public static let unsupportedPlatform = ErrorCode(rawValue: "unsupportedPlatform")
}
