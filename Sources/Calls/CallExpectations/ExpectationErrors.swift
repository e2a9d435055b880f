public import BlockRuntimeErrors

extension ErrorCode {
  /// More calls than are expected.
  public static let unexpectedCall = ErrorCode(rawValue: "unexpectedCall")

  /// Fewer calls than are expected.
  public static let missingCall = ErrorCode(rawValue: "missingCall")

  /// A call after the time limit.
  public static let lateCall = ErrorCode(rawValue: "lateCall")
}
