/// What a method of a delegate may be, beyond what its protocol declares.
public struct ImplementOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The method may take fewer arguments than the message has: it gets the first ones.
  public static let prefix = ImplementOptions(rawValue: 1)

  /// The message may be one that the protocol does not declare: the method's own signature counts.
  public static let undeclared = ImplementOptions(rawValue: 2)
}
