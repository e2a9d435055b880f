public import BlockRuntimeErrors

extension ErrorCode {
  /// A protocol that declares a method twice, or one that cannot be a method.
  public static let invalidProtocol = ErrorCode(rawValue: "invalidProtocol")
  /// A method for a delegate whose protocol does not declare it.
  public static let undeclaredSelector = ErrorCode(rawValue: "undeclaredSelector")
  /// A message that the delegate's protocol requires, and that nobody answers.
  public static let missingRequiredMethod = ErrorCode(rawValue: "missingRequiredMethod")
  /// A delegate that would forward messages to itself.
  public static let delegateCycle = ErrorCode(rawValue: "delegateCycle")
}
