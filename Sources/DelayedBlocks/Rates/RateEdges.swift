/// At which ends of a run of calls a debounced or throttled closure runs; with none it never does.
public struct RateEdges: OptionSet, Sendable, Hashable {
  /// A bit for each end.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// At the first call.
  public static let leading = RateEdges(rawValue: 1)

  /// When the time after the last call is over, with that call's input.
  public static let trailing = RateEdges(rawValue: 2)
}
