public import BlockHooks
public import Invocations

/// An installed memoizing hook: its token, its statistics, and functions that remove results.
///
/// All functions may be called from any thread and inside any handler. Results are released without
/// a lock held, because their release may run code of its own. Dropping the token removes nothing.
public final class MemoizingHook: Sendable {
  /// The hook.
  ///
  /// If it is removed directly, the results are stored as long as this token lives.
  public let hook: Hook

  private let contents: any MemoContents

  init(_ hook: Hook, _ contents: any MemoContents) {
    self.hook = hook
    self.contents = contents
  }

  /// The statistics at one moment; expired results are removed first.
  public var statistics: MemoStatistics { contents.statistics }

  /// How many calls were answered with a stored result.
  public var hits: Int { statistics.hits }

  /// How many calls ran the original.
  public var misses: Int { statistics.misses }

  /// How many results were removed because of the limits of count and cost.
  public var evictions: Int { statistics.evictions }

  /// How many results are stored.
  public var count: Int { statistics.count }

  /// The total cost of the stored results.
  public var totalCost: Int { statistics.totalCost }

  /// Removes the hook and all results in memory; a second call does nothing.
  ///
  /// Results in a database stay there: ``removeAll()`` removes them.
  ///
  /// Calls in progress continue, but store no results.
  ///
  /// - Returns: True if this call removed the hook.
  @discardableResult
  public func remove() -> Bool {
    let isRemoved = hook.remove()
    contents.close()
    return isRemoved
  }

  /// Removes the result of a call.
  ///
  /// - Parameter arguments: The block's declared arguments.
  /// - Returns: Whether a result was stored for them.
  /// - Throws: `argumentCount`, `typeMismatch` (also if the hook uses keys of the caller),
  ///   `valueOutOfRange`.
  @discardableResult
  public func remove(arguments: [CValue]) throws(InvocationError) -> Bool {
    try contents.remove(arguments: arguments)
  }

  /// Removes the result of a key that the caller's `key` made.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether a result was stored for it.
  @discardableResult
  public func remove(key: some Hashable & Sendable) -> Bool {
    contents.remove(key: AnyHashable(key))
  }

  /// Removes all results.
  public func removeAll() { contents.removeAll() }

  /// Removes the results that a predicate chooses.
  ///
  /// Results of calls in progress, which it does not see, are not stored.
  ///
  /// - Parameter isChosen: Called for each result that is stored now, without a lock held.
  /// - Returns: How many were removed.
  /// - Throws: The error of the predicate; nothing is removed then.
  @discardableResult
  public func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int {
    try contents.removeAll(where: isChosen)
  }
}

extension MemoizingHook: CustomStringConvertible {
  /// The hook and its statistics.
  public var description: String {
    let numbers = statistics
    return "\(hook): results \(numbers.count), hits \(numbers.hits), misses \(numbers.misses)"
  }
}

/// A result that a memoizing hook stores, with its call.
public struct MemoizedCall {
  /// The block's declared arguments; empty if the hook uses keys of the caller.
  ///
  /// Objects and blocks among them are those of the original call.
  public let arguments: [CValue]

  /// The caller's key, nil if the arguments are the key.
  public let key: AnyHashable?

  /// The result.
  public let result: CValue

  /// The cost of the result; 1 if the hook has no `cost`.
  public let cost: Int

  package init(arguments: [CValue], key: AnyHashable?, result: CValue, cost: Int) {
    self.arguments = arguments
    self.key = key
    self.result = result
    self.cost = cost
  }
}

/// The statistics of a memoizing hook at one moment.
public struct MemoStatistics: Hashable, Sendable {
  /// How many calls were answered with a stored result.
  public internal(set) var hits = 0

  /// How many calls ran the original, because there was no result, only an expired one, or no key.
  public internal(set) var misses = 0

  /// How many results were removed because of the limits of count and cost.
  public internal(set) var evictions = 0

  /// How many results were removed because of the limit of age.
  public internal(set) var expirations = 0

  /// How many results are stored.
  public internal(set) var count = 0

  /// The total cost of the stored results.
  public internal(set) var totalCost = 0
}
