internal import BlockHooks
package import Invocations

/// Values by key, bounded by count, cost, age and share of memory; the least recently used is
/// removed first.
///
/// ```swift
/// let cache = MemoCache<String, Int>(limits: MemoLimits(count: 100))
/// cache["a"] = 1
/// print(cache["a"] ?? 0, cache["bc", or: { "bc".count }])  // 1 2
/// ```
///
/// All functions may be called on any thread and in any closure. Finding, storing and removing take
/// amortised constant time. The `==` and `hash(into:)` of keys, closures that compute values, and
/// `onEviction` run without a lock held, and values are released without one. Limits hold after
/// each change; what has expired is not found, and is released by the next change.
///
/// Foundation's counterpart is `NSCache`.
public final class MemoCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Keys: StoreKeys {
    static func isOwn(_ key: Key) -> Bool { Key.self == Int.self || Key.self == String.self }
  }

  private let store: MemoStore<Keys, Value>
  private let cost: (@Sendable (Key, Value) -> Int)?
  private let tier: MemoCacheTier<Key, Value>?

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - limits: The bounds of the values; a limit of zero or less stores nothing.
  ///   - clock: Measures the values' ages.
  ///   - pressure: Removes the least recently used half of the values when the system is short of
  ///     memory; nil for never.
  ///   - cost: Returns the cost of a value that is stored without one, which is 1 if not given. A
  ///     negative cost counts as 0.
  ///   - onEviction: Receives each value that is removed because of the limits, its age or the
  ///     pressure, on the thread that changes or reads the cache, or that measures the pressure.
  public convenience init(
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    pressure: MemoryPressure? = .system, cost: (@Sendable (Key, Value) -> Int)? = nil,
    onEviction: (@Sendable (Key, Value) -> Void)? = nil
  ) {
    self.init(
      limits, clock, pressure: pressure, cost: cost, onEviction: onEviction, tier: nil)
  }

  /// Creates an empty cache in front of a tier.
  package init(
    _ limits: MemoLimits, _ clock: any Clock<Duration>, pressure: MemoryPressure?,
    cost: (@Sendable (Key, Value) -> Int)?, onEviction: (@Sendable (Key, Value) -> Void)?,
    tier: MemoCacheTier<Key, Value>?
  ) {
    store = MemoStore(
      Keys(), limits, ClockReading(clock), pressure: pressure, onEviction: onEviction)
    self.cost = cost
    self.tier = tier
    tier?.results.attach(self)
  }

  /// The bounds of the values; new bounds hold at once.
  public var limits: MemoLimits {
    get { store.limits }
    set { store.limits = newValue }
  }

  /// The statistics at one moment; a hit is a value that was found or waited for.
  public var statistics: MemoStatistics { store.statistics }

  /// The value of a key, which becomes the most recently used one; nil if there is none.
  ///
  /// Setting nil removes the value.
  public subscript(key: Key) -> Value? {
    get { look(key).value }
    set {
      if let newValue { set(newValue, for: key) } else { remove(key) }
    }
  }

  /// The value of a key, or else a new one, which is stored.
  ///
  /// If several threads or tasks miss a key at once, one of them computes the value, and the others
  /// wait for that value or its error; an error is not stored. A computation that asks for its own
  /// key, also through other computations that wait for each other, computes the value itself. A
  /// value that is set or removed during its computation is not stored over.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - make: Computes the value; it must not wait for a thread that asks for the same key.
  /// - Throws: What `make` throws.
  public subscript(key: Key, or make: () throws -> Value) -> Value {
    get throws { try value(key, make) }
  }

  /// The value of a key, or else a new one, which is stored, as by `cache[key, or: { … }]` with a
  /// closure that throws.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - make: Computes the value.
  public subscript(key: Key, or make: () -> Value) -> Value { value(key, make) }

  // A subscript with a typed error crashes the compiler (6.3) if the error's type is `Never`.
  private func value<Failure: Error>(
    _ key: Key, _ make: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let (stored, place) = look(key)
    if let stored { return stored }
    let value = try store.share(key) { ticket throws(Failure) in
      let value = try make()
      keep(value, key, since: ticket, at: place)
      return value
    }
    // The computation returns one.
    return if let value { value } else { try make() }
  }

  /// The value of a key, or else a new one, which is stored, as by `cache[key, or: { … }]`.
  ///
  /// The value is computed in the first task that asks. If that task is cancelled and throws, the
  /// next one computes the value.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - isolation: The actor on which `make` runs.
  ///   - make: Computes the value.
  /// - Returns: The value.
  /// - Throws: What `make` throws; `CancellationError` if the task is cancelled while it waits.
  public func value(
    for key: Key, isolation: isolated (any Actor)? = #isolation,
    or make: () async throws -> Value
  ) async throws -> Value {
    let (stored, place) = look(key)
    if let stored { return stored }
    return try await store.share(key, isolation: isolation) { ticket in
      let value = try await make()
      keep(value, key, since: ticket, at: place)
      return value
    }
  }

  /// The value of a key in memory, which does not become the most recently used one.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value; nil if there is none.
  public func peek(_ key: Key) -> Value? { store.peek(key) }

  /// Stores a value, in place of an earlier one.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  ///   - cost: The cost; nil for the result of the closure that the cache was created with.
  public func set(_ value: Value, for key: Key, cost: Int? = nil) {
    keep(value, key, cost: cost, since: nil)
  }

  /// Removes the value of a key; it is not evicted.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether there was one.
  @discardableResult
  public func remove(_ key: Key) -> Bool {
    // The tier's value is removed first, so that no look-up finds it there after the removal here.
    let wasInTier = tier?.remove(key) ?? false
    return store.remove(key) || wasInTier
  }

  /// Removes all values; they are not evicted.
  public func removeAll() {
    tier?.results.removeAll()
    store.removeAll()
  }

  /// Evicts the least recently used values in memory until limits hold; values that are stored
  /// later may exceed them.
  ///
  /// - Parameter limits: The limits.
  public func trim(to limits: MemoLimits) { store.trim(to: limits) }

  /// The value of a key in memory, or else in the tier; and the place in the tier of a key that is
  /// in neither.
  private func look(_ key: Key) -> (value: Value?, place: MemoPlace?) {
    switch store.find(key) {
    case .value(let value): return (value, nil)
    case .word: return (nil, nil)
    case .missing(let ticket):
      guard let (found, place) = tier?.find(key) else { return (nil, nil) }
      guard let found, !store.isTooOld(found.age) else { return (nil, place) }
      store.countAnswer()
      store.keep(
        key, found.value, cost: found.cost, age: found.age, at: store.now, since: ticket)
      return (found.value, nil)
    }
  }

  /// Stores a value in memory and in the tier: there at a place that was looked up before its
  /// computation, unless the key has been removed from the tier since.
  private func keep(
    _ value: Value, _ key: Key, cost: Int? = nil, since ticket: UInt64?, at place: MemoPlace? = nil
  ) {
    let now = store.now
    let cost = cost ?? self.cost?(key, value) ?? 1
    let isCurrent = store.keep(key, value, cost: cost, at: now, since: ticket)
    if isCurrent, let tier, let place = place ?? tier.place(of: key) {
      tier.keep(value, cost: max(cost, 0), at: place)
    }
  }
}

extension MemoCache: MemoMemory {
  package func forget(key: AnyHashable) {
    if let key = key.base as? Key { store.remove(key) }
  }

  package func forgetAll() { store.removeAll() }
}

/// Values behind those that a cache has in memory.
package struct MemoCacheTier<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  fileprivate let results: any MemoTier
  private let keys: MemoKeyCoding<Key>
  private let encode: @Sendable (Value) -> CValue?
  private let decode: @Sendable (CValue) -> Value?

  package init(
    _ results: any MemoTier, keys: MemoKeyCoding<Key>,
    encode: @escaping @Sendable (Value) -> CValue?,
    decode: @escaping @Sendable (CValue) -> Value?
  ) {
    self.results = results
    self.keys = keys
    self.encode = encode
    self.decode = decode
  }

  fileprivate func find(
    _ key: Key
  ) -> (found: (value: Value, cost: Int, age: UInt64)?, place: MemoPlace)? {
    guard let code = keys.code(key) else { return nil }
    let (answer, ticket) = results.find(code)
    let found = answer.flatMap { answer in
      decode(answer.result).map { ($0, answer.cost, answer.age) }
    }
    return (found, MemoPlace(tier: results, key: code, ticket: ticket))
  }

  /// The place of a key whose value is set.
  fileprivate func place(of key: Key) -> MemoPlace? {
    keys.code(key).map { MemoPlace(tier: results, key: $0, ticket: results.ticket(of: $0)) }
  }

  /// Stores a value; a value that cannot be coded removes an earlier one.
  fileprivate func keep(_ value: Value, cost: Int, at place: MemoPlace) {
    if let result = encode(value) {
      results.keep(place.key, result, cost: cost, at: results.time, since: place.ticket)
    } else {
      _ = results.remove([place.key])
    }
  }

  fileprivate func remove(_ key: Key) -> Bool {
    keys.code(key).map { results.remove([$0]) > 0 } ?? false
  }
}
