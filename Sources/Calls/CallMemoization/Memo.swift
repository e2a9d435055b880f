internal import BlockRuntimeThreads
public import Invocations

/// The handle of an installed memoizing hook: the statistics, limits and removal of its results.
///
/// All functions may be called from any thread and inside any handler. Results are released without
/// a lock held, because their release may run code of its own. After the hook was removed, the
/// results are stored as long as the handle lives, or until ``removeAll()``.
public final class Memo: Sendable {
  private let installed = Locked<(any MemoContents)?>(nil)

  init() {}

  /// Notes the contents, once the hook's target is known: before anybody has the handle.
  func begin(_ contents: any MemoContents) { installed.withLock { $0 = contents } }

  private var contents: (any MemoContents)? { installed.withLock { $0 } }

  /// The bounds of the results in memory; new bounds hold at once.
  ///
  /// A limit of zero or less stores nothing.
  public var limits: MemoLimits {
    get { contents?.limits ?? MemoLimits() }
    set { contents?.limits = newValue }
  }

  /// The statistics at one moment; expired results are removed first.
  public var statistics: MemoStatistics { contents?.statistics ?? MemoStatistics() }

  /// How many calls were answered with a stored result.
  public var hits: Int { statistics.hits }

  /// How many calls ran the original.
  public var misses: Int { statistics.misses }

  /// How many results are stored.
  public var count: Int { statistics.count }

  /// Removes the result of a call.
  ///
  /// - Parameters:
  ///   - arguments: The declared arguments, without a method's receiver and selector.
  ///   - receiver: The receiver of a method; nil for a block or a function.
  /// - Returns: Whether a result was stored for the call.
  /// - Throws: `argumentCount` (also if a method's receiver is missing), `typeMismatch` (also if
  ///   the hook uses keys of the caller), `valueOutOfRange`.
  @discardableResult
  public func remove(
    arguments: [CValue], of receiver: AnyObject? = nil
  ) throws(InvocationError) -> Bool {
    try contents?.remove(arguments: arguments, of: receiver) ?? false
  }

  /// Removes the result of a key that the caller's `key` made.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether a result was stored for it.
  @discardableResult
  public func remove(key: some Hashable & Sendable) -> Bool {
    contents?.remove(key: AnyHashable(key)) ?? false
  }

  /// Removes all results.
  public func removeAll() { contents?.removeAll() }

  /// Removes the results that a predicate chooses.
  ///
  /// Results of calls in progress, which the predicate does not see, are not stored.
  ///
  /// - Parameter isChosen: Called for each result that is stored now, without a lock held.
  /// - Returns: How many were removed.
  /// - Throws: The error of the predicate; nothing is removed then.
  @discardableResult
  public func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int {
    try contents?.removeAll(where: isChosen) ?? 0
  }
}

/// A result that a memoizing hook stores, with its call.
public struct MemoizedCall {
  /// The declared arguments, without a method's receiver and selector; empty if the hook uses keys
  /// of the caller.
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

/// The statistics of a cache or a memoizing hook at one moment.
public struct MemoStatistics: Hashable, Sendable {
  /// How many calls were answered with a stored result, or with the result of a call in progress.
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
