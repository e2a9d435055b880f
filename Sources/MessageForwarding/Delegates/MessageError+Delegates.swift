extension MessageError.Code {
  /// A protocol that declares a method twice, or one that cannot be a method.
  public static let invalidProtocol = MessageError.Code(rawValue: "invalidProtocol")
  /// A method for a delegate whose protocol does not declare it.
  public static let undeclaredSelector = MessageError.Code(rawValue: "undeclaredSelector")
  /// A message that the delegate's protocol requires, and that nobody answers.
  public static let missingRequiredMethod = MessageError.Code(rawValue: "missingRequiredMethod")
  /// A delegate that would forward messages to itself.
  public static let delegateCycle = MessageError.Code(rawValue: "delegateCycle")
}
