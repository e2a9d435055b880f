internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// The stored form of one result.
///
/// A boxed result may hold objects and blocks: they pass from the thread that made them to those
/// that receive them again, as if the block itself stored them. Sharing them is the caller's
/// responsibility, as documented.
enum MemoResult {
  /// One number, as `CallFrame.resultWord` gives it.
  case word(UInt64)
  case value(CValue)
}

/// One stored result with the arguments of its call.
struct MemoValue {
  let result: MemoResult

  /// The declared arguments; empty if the key represents them.
  ///
  /// They retain the objects and blocks whose addresses are in the key.
  let arguments: [CValue]

  /// The image that holds the result if that is a global block: it stays loaded.
  let image: LoadedImage?

  init(result: MemoResult, arguments: [CValue]) {
    self.result = result
    self.arguments = arguments
    image = if case .value(.block(let block?)) = result { block.header.image } else { nil }
  }
}

/// The results of one memoizing hook.
///
/// No client code runs under the lock. Keys are hashed before, and compared after the entries with
/// their hash were looked up; the operation on an entry takes place if it is still there. Keys
/// whose comparison runs no client code are compared under the lock. Removed entries are released
/// outside the lock.
final class MemoStore<Keys: MemoKeys>: Sendable {
  typealias Key = Keys.Key
  private typealias Entry = MemoTable<Key, MemoValue>.Entry

  private struct State: ~Copyable {
    var table: MemoTable<Key, MemoValue>
    var hits = 0
    var misses = 0
    var isClosed = false

    /// The number of beginnings and ends of removals, and of those in progress.
    var removals = 0
    var removing = 0

    // SAFETY: the caller retains the entry, or has found it while holding the lock.
    /// Uses an entry for a call, which is counted as a hit or a miss.
    @inline(__always)
    mutating func use(_ entry: Entry.Reference?, _ now: UInt64) -> Found {
      guard let entry = unsafe entry else {
        misses += 1
        return .nothing
      }
      return unsafe entry._withUnsafeGuaranteedRef { entry in
        guard table.use(entry, now) else {
          misses += 1
          return .expired(table.removeExpired(entry))
        }
        hits += 1
        if case .word(let word) = entry.value.result { return .word(word) }
        return .entry(entry)
      }
    }
  }

  /// The outcome of a look-up.
  private enum Found {
    case nothing
    /// A result that is a number: its entry is not retained.
    case word(UInt64)
    case entry(Entry)
    /// What was removed is released where client code may run.
    case expired(Entry?)
  }

  private let keys: Keys
  private let state: Locked<State>

  /// The clock, nil if there is no limit of age.
  private let clock: ClockReading?

  private let age: UInt64?

  init(_ keys: Keys, _ limits: MemoLimits, _ clock: ClockReading) {
    self.keys = keys
    state = Locked(State(table: MemoTable(limits)))
    self.clock = limits.age == nil ? nil : clock
    age = limits.ageInNanoseconds
  }

  private var now: UInt64 { clock?.nanoseconds ?? 0 }

  /// The result of a key; counts the call as a hit or a miss.
  @inline(__always)
  func find(_ key: Key) -> MemoResult? {
    switch look(key, now) {
    case .nothing, .expired: nil
    case .word(let word): .word(word)
    case .entry(let entry): entry.value.result
    }
  }

  @inline(__always)
  private func look(_ key: Key, _ now: UInt64) -> Found {
    guard Keys.isOwn(key) else {
      return withEntry(of: key) { state, _, entry, _ in
        unsafe state.use(entry?.unretained, now)
      }
    }
    // The entry need not be retained.
    let hash = keys.hash(key)
    return state.withLock { state in
      unsafe state.use(state.table.first(hash) { $0.key == key }, now)
    }
  }

  /// Counts a call that has no key as a miss.
  func countMiss() { state.withLock { $0.misses += 1 } }

  /// Counts a call that was a miss here, and that a tier answers, as a hit.
  func countAnswer() {
    state.withLock { state in
      state.misses -= 1
      state.hits += 1
    }
  }

  /// Whether results of an age, in nanoseconds, have expired.
  func isTooOld(_ age: UInt64) -> Bool { self.age.map { age >= $0 } ?? false }

  /// A number that each removal changes, if it is of a memo with a tier.
  var removals: Int { state.withLock { $0.removals } }

  /// Refuses results of a tier until the end of a removal, and those found before it.
  func beginRemoval() {
    state.withLock { state in
      state.removals += 1
      state.removing += 1
    }
  }

  /// Ends a removal.
  func endRemoval() {
    state.withLock { state in
      state.removals += 1
      state.removing -= 1
    }
  }

  /// Stores a result; a negative cost counts as 0.
  ///
  /// It is not stored if an entry with the same hash was added while keys were compared without the
  /// lock: with a good hash that entry is of the same call, and newer. Another search might never
  /// end.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The result.
  ///   - cost: Its cost.
  ///   - age: The time since its return, in nanoseconds. A result that is older than the clock is not
  ///     stored.
  ///   - removals: The earlier value of `removals` after whose change the result is not stored.
  func keep(_ key: Key, _ value: MemoValue, cost: Int, age: UInt64 = 0, since removals: Int? = nil)
  {
    guard age == 0 || clock == nil || age <= now else { return }
    let now = clock == nil ? 0 : now - age
    var removed: [Entry] = []
    defer { withExtendedLifetime(removed) {} }
    withEntry(of: key) { state, hash, earlier, last in
      if let removals, state.removing > 0 || state.removals != removals { return }
      guard !state.isClosed, unsafe state.table.first(hash, where: { $0.birth > last }) == nil
      else { return }
      state.table.keep(
        key, hash, value, cost: max(cost, 0), insteadOf: earlier, now, &removed)
    }
  }

  /// Removes all results, and stores no further ones.
  func close() {
    var removed: [Entry] = []
    state.withLock { state in
      state.isClosed = true
      state.table.removeAll(&removed)
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes the result of a key.
  ///
  /// - Returns: Whether there was one.
  func remove(_ key: Key) -> Bool {
    let now = now
    var removed: [Entry] = []
    defer { withExtendedLifetime(removed) {} }
    return withEntry(of: key) { state, _, entry, _ in
      state.table.expire(now, &removed)
      return entry.map { state.table.remove($0, &removed) } ?? false
    }
  }

  /// Removes the results that a predicate chooses; it runs without the lock, for the results
  /// present now.
  ///
  /// - Returns: How many were removed.
  func removeAll(where isChosen: (Key, MemoValue, _ cost: Int) throws -> Bool) rethrows -> Int {
    remove(try choose(where: isChosen))
  }

  /// The entries that a predicate chooses; it runs without the lock, for the results present now.
  func choose(
    where isChosen: (Key, MemoValue, _ cost: Int) throws -> Bool
  ) rethrows -> [MemoEntry<Key, MemoValue>] {
    let now = now
    var removed: [Entry] = []
    let all = state.withLock { state in
      state.table.expire(now, &removed)
      return state.table.all
    }
    defer { withExtendedLifetime((all, removed)) {} }
    return try all.filter { try isChosen($0.key, $0.value, $0.cost) }
  }

  /// Removes entries, unless they were removed already.
  ///
  /// - Returns: How many were removed.
  func remove(_ chosen: [MemoEntry<Key, MemoValue>]) -> Int {
    var removed: [Entry] = []
    defer { withExtendedLifetime(removed) {} }
    return state.withLock { state in chosen.count { state.table.remove($0, &removed) } }
  }

  /// The statistics; expired results are removed first.
  var statistics: MemoStatistics {
    let now = now
    var removed: [Entry] = []
    defer { withExtendedLifetime(removed) {} }
    return state.withLock { state in
      state.table.expire(now, &removed)
      return MemoStatistics(
        hits: state.hits, misses: state.misses, evictions: state.table.evictions,
        expirations: state.table.expirations, count: state.table.count,
        totalCost: state.table.totalCost)
    }
  }

  /// Looks a key up, and calls a closure with the outcome under the lock.
  ///
  /// The closure receives the key's hash, its entry, which may have been removed meanwhile, and the
  /// stamp of the last entry that the search can have seen.
  @inline(__always)
  private func withEntry<Result>(
    of key: Key, _ body: (inout State, _ hash: Int, Entry?, _ last: UInt64) -> Result
  ) -> Result {
    let hash = keys.hash(key)
    if Keys.isOwn(key) {
      return state.withLock { state in
        // SAFETY: the table retains the entry.
        let entry = unsafe state.table.first(hash) { $0.key == key }?.takeUnretainedValue()
        return body(&state, hash, entry, state.table.lastStamp)
      }
    }
    let (candidates, last) = state.withLock { ($0.table.all(hash), $0.table.lastStamp) }
    defer { withExtendedLifetime(candidates) {} }
    let entry = candidates.first { $0.key == key }
    return state.withLock { body(&$0, hash, entry, last) }
  }
}
