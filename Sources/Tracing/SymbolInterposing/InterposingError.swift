@_exported public import BlockRuntimeErrors

/// Why an imported function, or every block, was not hooked.
public struct InterposingError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A program that is linked statically and so imports nothing.
  public static let staticProgram = ErrorCode(rawValue: "staticProgram")

  /// A symbol that different objects bind to different functions.
  public static let ambiguousSymbol = ErrorCode(rawValue: "ambiguousSymbol")

  /// A function that the library itself calls before each handler, or that returns twice or never.
  public static let reservedFunction = ErrorCode(rawValue: "reservedFunction")

  /// A symbol of data.
  public static let notAFunction = ErrorCode(rawValue: "notAFunction")
}

extension InterposingError {
  /// The symbol that the error is about, nil if it is about none.
  public var symbol: String? { subject }

  init(_ code: ErrorCode, _ message: String, symbol: String?) {
    self.init(code, message, subject: symbol)
  }

  init(_ error: some BlockRuntimeError, _ symbol: String) {
    self.init(passing: error, subject: symbol, prefix: "\(symbol): ")
  }

  /// Runs `body`, whose error becomes one about a symbol.
  static func about<Result, Failure: BlockRuntimeError>(
    _ symbol: String, _ body: () throws(Failure) -> Result
  ) throws(InterposingError) -> Result {
    do throws(Failure) { return try body() } catch { throw InterposingError(error, symbol) }
  }
}
