@_exported public import BlockRuntimeErrors

/// Why a Swift method or class was refused.
public struct SwiftMethodError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A class whose methods' types are unknown: it is generic, or was made at run time.
  public static let unsupportedClass = ErrorCode(rawValue: "unsupportedClass")

  /// Several methods with one name.
  public static let ambiguousMethod = ErrorCode(rawValue: "ambiguousMethod")

  /// A class of which no method can be found: all are final, or the program is stripped.
  public static let noSymbol = ErrorCode(rawValue: "noSymbol")

  /// A method that cannot be hooked; the message says why.
  public static let unsupportedMethod = ErrorCode(rawValue: "unsupportedMethod")

  /// A processor whose calling convention is not supported.
  public static let unsupportedPlatform = ErrorCode(rawValue: "unsupportedPlatform")
}
