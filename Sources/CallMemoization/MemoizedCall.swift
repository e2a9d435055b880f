public import Invocations

/// A result that a memoising hook keeps, with the call that it belongs to.
public struct MemoizedCall {
  /// The block's own arguments; empty where the hook has keys of the caller's.
  ///
  /// Objects and blocks among them are those that the call was made with.
  public let arguments: [BoxedValue]

  /// The caller's key, nil where the arguments are the key.
  public let key: AnyHashable?

  /// The result.
  public let result: BoxedValue

  /// What the result costs: 1, if the hook was given no costs.
  public let cost: Int
}

/// The numbers of a memoising hook at one moment.
public struct MemoStatistics: Hashable, Sendable {
  /// How many calls were answered with a kept result.
  public internal(set) var hits = 0

  /// How many calls ran the original: for want of a result, of a young enough one, or of a key.
  public internal(set) var misses = 0

  /// How many results had to go for the limits of count and cost.
  public internal(set) var evictions = 0

  /// How many results had to go for the limit of age.
  public internal(set) var expirations = 0

  /// How many results are kept.
  public internal(set) var count = 0

  /// What they cost together.
  public internal(set) var totalCost = 0
}
