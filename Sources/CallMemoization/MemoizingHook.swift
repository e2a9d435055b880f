public import BlockHooks
public import Invocations

/// An installed memoising hook: its token, its numbers, and what invalidates its results.
///
/// All functions may be called from any thread and from inside any handler. Results are released
/// under no lock: what they refer to may run code of its own as it goes. Dropping the token removes
/// nothing.
public final class MemoizingHook: Sendable {
  /// The hook.
  ///
  /// Where it is removed directly, the results stay for as long as this token lives.
  public let hook: Hook

  private let contents: any MemoContents

  init(_ hook: Hook, _ contents: any MemoContents) {
    self.hook = hook
    self.contents = contents
  }

  /// All numbers at one moment; results that are too old are removed first.
  public var statistics: MemoStatistics { contents.statistics }

  /// How many calls were answered with a kept result.
  public var hits: Int { statistics.hits }

  /// How many calls were not.
  public var misses: Int { statistics.misses }

  /// How many results had to go for the limits of count and cost.
  public var evictions: Int { statistics.evictions }

  /// How many results are kept.
  public var count: Int { statistics.count }

  /// What the kept results cost together.
  public var totalCost: Int { statistics.totalCost }

  /// Removes the hook and all results; once more, does nothing.
  ///
  /// Calls that are under way go on, and keep nothing any more.
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
  /// - Parameter arguments: The block's own arguments.
  /// - Returns: Whether a result was kept for them.
  /// - Throws: `argumentCount`, `typeMismatch` (also where the hook has keys of the caller's),
  ///   `valueOutOfRange`.
  @discardableResult
  public func remove(arguments: [BoxedValue]) throws(InvocationError) -> Bool {
    try contents.remove(arguments: arguments)
  }

  /// Removes the result of a key that the caller's `key` made.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether a result was kept for it.
  @discardableResult
  public func remove(key: some Hashable & Sendable) -> Bool {
    contents.remove(key: AnyHashable(key))
  }

  /// Removes all results.
  public func removeAll() { _ = contents.removeAll { _ in true } }

  /// Removes the results that a predicate chooses.
  ///
  /// - Parameter isChosen: Runs for each result that is kept now, under no lock.
  /// - Returns: How many were removed.
  /// - Throws: What the predicate throws; then nothing is removed.
  @discardableResult
  public func removeAll(where isChosen: (MemoizedCall) throws -> Bool) rethrows -> Int {
    try contents.removeAll(where: isChosen)
  }
}

extension MemoizingHook: CustomStringConvertible {
  /// The hook with its numbers.
  public var description: String {
    let numbers = statistics
    return "\(hook): results \(numbers.count), hits \(numbers.hits), misses \(numbers.misses)"
  }
}
