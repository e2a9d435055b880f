public import BlockHooks
public import Invocations

/// Why an import was not hooked: a code, a message with the remedy, and the cause where there is one.
public struct InterposingError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A program that was linked statically: it imports nothing.
    public static let staticProgram = Code(rawValue: "staticProgram")
    /// A shared library that cannot be opened.
    public static let libraryNotFound = Code(rawValue: "libraryNotFound")
    /// A symbol that no loaded object defines.
    public static let symbolNotFound = Code(rawValue: "symbolNotFound")
    /// A symbol that different objects bind to different functions.
    public static let ambiguousSymbol = Code(rawValue: "ambiguousSymbol")
    /// A function that the way to the handlers calls itself, or that returns twice.
    public static let reservedFunction = Code(rawValue: "reservedFunction")
    /// A symbol of data.
    public static let notAFunction = Code(rawValue: "notAFunction")
    /// A signature that is malformed, or holds a type that cannot be passed by value.
    public static let unsupportedSignature = Code(rawValue: "unsupportedSignature")
    /// A signature other than that of the hooks already installed.
    public static let signatureConflict = Code(rawValue: "signatureConflict")
    /// A function of another type than the signature's.
    public static let typeMismatch = Code(rawValue: "typeMismatch")
    /// A slot in a page that cannot be made writable.
    public static let protectedMemory = Code(rawValue: "protectedMemory")
    /// Memory, or executable memory, that the system refuses, or a processor other than x86-64.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// A hook that was refused; `hookError` says why.
    public static let hookRefused = Code(rawValue: "hookRefused")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  /// The symbol that it is about, nil if it is about none.
  public let symbol: String?

  /// The hook's error that led to this one.
  public let hookError: HookError?

  /// The invocation's error that led to this one.
  public let invocationError: InvocationError?

  init(
    _ code: Code, _ message: String, symbol: String? = nil, hookError: HookError? = nil,
    invocationError: InvocationError? = nil
  ) {
    self.code = code
    self.message = message
    self.symbol = symbol
    self.hookError = hookError
    self.invocationError = invocationError
  }

  init(_ error: HookError, _ symbol: String) {
    let code: Code =
      switch error.code {
      case .outOfMemory: .outOfMemory
      case .unsupportedSignature: .unsupportedSignature
      default: .hookRefused
      }
    self.init(
      code, "\(symbol): \(error.message)", symbol: symbol, hookError: error,
      invocationError: error.invocationError)
  }

  init(_ error: InvocationError, _ symbol: String) {
    let code: Code =
      switch error.code {
      case .noExecutableMemory: .outOfMemory
      case .typeMismatch: .typeMismatch
      default: .unsupportedSignature
      }
    self.init(code, "\(symbol): \(error.message)", symbol: symbol, invocationError: error)
  }
}

extension InterposingError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
