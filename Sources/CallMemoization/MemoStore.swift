internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// What one result is kept as.
///
/// A boxed one may hold objects and blocks: they go from the thread that made them to those that get
/// them again, as they would if the block itself kept them.
enum MemoResult: @unchecked Sendable {
  // SAFETY: values are immutable; what they refer to is the caller's to share, as documented.

  /// One number, as `CallFrame.resultWord` gives it.
  case word(UInt64)
  case boxed(BoxedValue)
}

/// One kept result with the arguments that it belongs to.
struct MemoValue: @unchecked Sendable {
  // SAFETY: as for `MemoResult`.

  let result: MemoResult

  /// The own arguments; empty where the key says all.
  ///
  /// They keep the objects and blocks that the key names by address.
  let arguments: [BoxedValue]

  /// What holds the result, if that is a global block: it stays loaded.
  let image: LoadedImage?

  init(result: MemoResult, arguments: [BoxedValue]) {
    self.result = result
    self.arguments = arguments
    image = if case .boxed(.block(let block?)) = result { block.header.image } else { nil }
  }
}

/// The results of one memoising hook.
///
/// No code of the user's runs under the lock. Keys are hashed before, and compared after the entries of
/// their hash were looked up; what is then done with an entry is done if it is still there. Keys that
/// are the library's own are compared under the lock. What is removed is released outside.
final class MemoStore<Keys: MemoKeys>: Sendable {
  typealias Key = Keys.Key
  private typealias Entry = MemoTable<Key, MemoValue>.Entry

  private struct State {
    var table: MemoTable<Key, MemoValue>
    var hits = 0
    var misses = 0
    var isClosed = false
  }

  private let state: Locked<State>

  /// The clock, nil where no result has an age.
  private let clock: ClockReading?

  init(_ limits: MemoLimits, _ clock: ClockReading) {
    state = Locked(State(table: MemoTable(limits)))
    self.clock = limits.age == nil ? nil : clock
  }

  private var now: UInt64 { clock?.nanoseconds ?? 0 }

  /// The result of a key; the call is counted as a hit or a miss.
  func find(_ key: Key) -> MemoResult? {
    let now = now
    var removed: [Entry] = []
    defer { withExtendedLifetime(removed) {} }
    let entry = withEntry(of: key) { state, _, entry, _ -> Entry? in
      guard let entry, state.table.use(entry, now, &removed) else {
        state.misses += 1
        return nil
      }
      state.hits += 1
      return entry
    }
    return entry?.value.result
  }

  /// Counts a call that has no key.
  func countMiss() { state.withLock { $0.misses += 1 } }

  /// Keeps a result; a negative cost is none.
  ///
  /// It is not kept where one of the same hash comes while keys are compared under no lock: that is
  /// the same call's, if the hash is any good, and the later one. Looking again might never end.
  func keep(_ key: Key, _ value: MemoValue, cost: Int) {
    let now = now
    var removed: [Entry] = []
    defer { withExtendedLifetime(removed) {} }
    withEntry(of: key) { state, hash, earlier, last in
      guard !state.isClosed, state.table.first(hash, where: { $0.birth > last }) == nil else {
        return
      }
      state.table.keep(
        key, hash, value, cost: max(cost, 0), insteadOf: earlier, now, &removed)
    }
  }

  /// Removes everything, and keeps nothing any more.
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

  /// Removes the results that a predicate chooses; it runs under no lock, for those there are now.
  ///
  /// - Returns: How many were removed.
  func removeAll(where isChosen: (Key, MemoValue, _ cost: Int) throws -> Bool) rethrows -> Int {
    let now = now
    var removed: [Entry] = []
    let all = state.withLock { state in
      state.table.expire(now, &removed)
      return state.table.all
    }
    let chosen = try all.filter { try isChosen($0.key, $0.value, $0.cost) }
    defer { withExtendedLifetime((all, removed)) {} }
    return state.withLock { state in chosen.count { state.table.remove($0, &removed) } }
  }

  /// The numbers; results that have expired go first.
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

  /// Looks a key up, and calls a closure under the lock with what was found.
  ///
  /// The closure receives the key's hash, its entry, which may just have gone, and the stamp of the
  /// last entry that can have been seen.
  private func withEntry<Result>(
    of key: Key, _ body: (inout State, _ hash: Int, Entry?, _ last: UInt64) -> Result
  ) -> Result {
    var hasher = Hasher()
    key.hash(into: &hasher)
    let hash = hasher.finalize()
    if Keys.isOwn(key) {
      return state.withLock { state in
        body(&state, hash, state.table.first(hash) { $0.key == key }, state.table.lastStamp)
      }
    }
    let (candidates, last) = state.withLock { ($0.table.all(hash), $0.table.lastStamp) }
    defer { withExtendedLifetime(candidates) {} }
    let entry = candidates.first { $0.key == key }
    return state.withLock { body(&$0, hash, entry, last) }
  }
}
