/// Where in a call a hook's handler runs; one hook may have several positions.
public struct HookPositions: OptionSet, Hashable, Sendable {
  /// The positions as bits.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Before the original; the handler can change the arguments.
  public static let before = HookPositions(rawValue: 1)
  /// In place of the original, which runs only when the handler proceeds.
  public static let instead = HookPositions(rawValue: 2)
  /// After the original; the handler can read and change the result.
  public static let after = HookPositions(rawValue: 4)
  /// When the block dies, without arguments or a result.
  ///
  /// Global blocks never die.
  public static let death = HookPositions(rawValue: 8)

  /// The positions that are part of a call.
  static let calls: HookPositions = [.before, .instead, .after]
}
