#if Database
internal import Invocations

extension MemoCache where Key: Codable, Value: Codable {
  /// Creates a cache in front of a database: values that are not in memory are looked for in the
  /// database, and values that are set or computed are written to it, by the rules of
  /// `.memoizing(in:named:…)`.
  ///
  /// The limits and `onEviction` are for the values in memory: those that leave memory stay in the
  /// database, which has limits of its own. `peek(_:)` and `trim(to:)` see memory only; removals
  /// reach both. Values are stored as JSON. Keys are equal in the database if their bytes are: use
  /// text in one normal form. A value that cannot be coded is in memory only.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - name: The name of the values. Caches of one name, version and types share their values.
  ///   - version: The version of the values' meaning; another version finds none of the values.
  ///   - limits: The bounds of the values in memory.
  ///   - clock: Measures the ages of the values in memory.
  ///   - pressure: Removes half of the values in memory when the system is short of memory; nil for
  ///     never.
  ///   - cost: Returns the cost of a value, in both tiers; 1 if not given.
  ///   - onEviction: Receives each value that leaves memory.
  public convenience init(
    in database: MemoDatabase, named name: String, version: Int = 1,
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    pressure: MemoryPressure? = .system, cost: (@Sendable (Key, Value) -> Int)? = nil,
    onEviction: (@Sendable (Key, Value) -> Void)? = nil
  ) {
    self.init(
      limits, clock, pressure: pressure, cost: cost, onEviction: onEviction,
      tier: MemoCacheTier(
        StoredResults(
          database, named: name, version: version, nil,
          // Only the type of keys is a part by itself, by which keys are removed.
          parts: ["cache of \(TypeName.lasting(Value.self))", TypeName.lasting(Key.self)]),
        keys: MemoKeyCoding(),
        encode: { value in (try? JSON.encode(value)).map { .bytes($0) } },
        decode: { result in
          guard case .bytes(let bytes) = result else { return nil }
          return try? JSON.decode(Value.self, from: bytes)
        }))
  }
}
#endif
