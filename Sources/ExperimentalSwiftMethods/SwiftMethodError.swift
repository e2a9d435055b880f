public import BlockHooks

/// Why a Swift method was refused: a code, a message with the remedy, and the cause where there is one.
public struct SwiftMethodError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A class whose methods cannot be found: it is generic, or was made at run time.
    public static let unsupportedClass = Code(rawValue: "unsupportedClass")
    /// A method that a class's table does not have.
    public static let noSuchMethod = Code(rawValue: "noSuchMethod")
    /// Several methods of one name.
    public static let ambiguousMethod = Code(rawValue: "ambiguousMethod")
    /// A method whose declaration is not to be found.
    public static let noSymbol = Code(rawValue: "noSymbol")
    /// A kind of method whose calls C cannot make.
    public static let unsupportedMethod = Code(rawValue: "unsupportedMethod")
    /// A parameter or result whose type is not simple.
    public static let unsupportedType = Code(rawValue: "unsupportedType")
    /// A value that a handler put where the method's type does not allow it.
    public static let invalidValue = Code(rawValue: "invalidValue")
    /// A hook that cannot be installed; the cause says why.
    public static let hookRefused = Code(rawValue: "hookRefused")
    /// A class in memory that cannot be written.
    public static let protectedMemory = Code(rawValue: "protectedMemory")
    /// A processor whose calls are not known.
    public static let unsupportedPlatform = Code(rawValue: "unsupportedPlatform")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  /// The hook's error that led to this one.
  public let hookError: HookError?

  init(_ code: Code, _ message: String, hookError: HookError? = nil) {
    self.code = code
    self.message = message
    self.hookError = hookError
  }

  init(_ error: HookError) { self.init(.hookRefused, error.message, hookError: error) }
}

extension SwiftMethodError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
