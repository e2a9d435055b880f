internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// The results of one memoizing hook.
///
/// No client code runs under the lock. Keys are hashed before, and compared after the nodes with
/// their hash were looked up; the operation on a node takes place if it is still there. Keys
/// whose comparison runs no client code are compared under the lock. Removed nodes are released
/// outside the lock.
final class MemoStore<Keys: MemoKeys>: Sendable {
  typealias Key = Keys.Key
  private typealias Node = MemoTable<Key, MemoValue>.Node

  private struct State: ~Copyable {
    var table: MemoTable<Key, MemoValue>
    var hits = 0
    var misses = 0
    var isClosed = false

    var removals = RemovalLog()

    /// The number of removals of a tier's results in progress, and the ticket at the end of the last.
    var removing = 0
    var lastEnd: UInt64 = 0

    // SAFETY: the caller retains the node, or has found it while holding the lock.
    /// Uses a node for a call, which is counted as a hit or a miss.
    @inline(__always)
    mutating func use(_ node: Node.Reference?, _ now: UInt64) -> Found {
      guard let node = unsafe node else {
        misses += 1
        return .missing(ticket: removals.ticket, expired: nil)
      }
      return unsafe node._withUnsafeGuaranteedRef { node in
        guard table.use(node, now) else {
          misses += 1
          let expired = table.removeExpired(node)
          if expired != nil { removals.note(node.hash) }
          return .missing(ticket: removals.ticket, expired: expired)
        }
        hits += 1
        if case .word(let word) = node.value.result { return .word(word) }
        return .node(node)
      }
    }

    /// Removes the nodes that have expired: what is older than they are is not stored.
    mutating func expire(_ now: UInt64, _ removed: inout [Node]) {
      let first = removed.count
      table.expire(now, &removed)
      for node in removed[first...] { removals.note(node.hash) }
    }
  }

  /// The outcome of a look-up under the lock.
  private enum Found {
    /// A result that is a number: its node is not retained.
    case word(UInt64)
    case node(Node)
    /// What was removed is released where client code may run.
    case missing(ticket: UInt64, expired: Node?)
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

  /// The time by which results age; 0 if there is no limit of age.
  var now: UInt64 { clock?.nanoseconds ?? 0 }

  /// The result of a key; counts the call as a hit or a miss.
  @inline(__always)
  func find(_ key: Key) -> MemoLookup {
    switch look(key, now) {
    case .word(let word): .word(word)
    case .node(let node):
      switch node.value.result {
      case .word(let word): .word(word)
      case .value(let value): .value(value)
      }
    case .missing(let ticket, _): .missing(ticket: ticket)
    }
  }

  @inline(__always)
  private func look(_ key: Key, _ now: UInt64) -> Found {
    guard Keys.isOwn(key) else {
      return withNode(of: key) { state, _, node, _ in
        unsafe state.use(node?.unretained, now)
      }
    }
    // The node need not be retained.
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

  /// Begins a removal of a tier's results, until whose end none of them is stored here.
  func beginRemoval() { state.withLock { $0.removing += 1 } }

  /// Ends a removal: a result that was found in the tier before is not stored here.
  func endRemoval() {
    state.withLock { state in
      state.lastEnd = state.removals.nextTicket()
      state.removing -= 1
    }
  }

  /// Stores a result; a negative cost counts as 0.
  ///
  /// It is not stored if a node with the same hash was added while keys were compared without the
  /// lock: with a good hash that node is of the same call, and newer. Another search might never
  /// end.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The result.
  ///   - cost: Its cost.
  ///   - age: The time since its return, in nanoseconds, of a result from a tier; nil for one that was
  ///     computed. A result that is older than the clock is not stored.
  ///   - now: The time of its return, or, of a result from a tier, of its finding.
  ///   - ticket: That of the call, after which the key must not have been removed.
  /// - Returns: False if the key was removed since, or the store is closed.
  @discardableResult
  func keep(
    _ key: Key, _ value: MemoValue, cost: Int, age: UInt64? = nil, at now: UInt64,
    since ticket: UInt64
  ) -> Bool {
    var removed: [Node] = []
    defer { withExtendedLifetime(removed) {} }
    return withNode(of: key) { state, hash, earlier, last in
      state.expire(now, &removed)
      guard !state.isClosed, !state.removals.covers(hash, since: ticket) else { return false }
      if age != nil, state.removing > 0 || state.lastEnd > ticket { return false }
      let age = clock == nil ? 0 : age ?? 0
      guard age <= now, unsafe state.table.first(hash, where: { $0.birth > last }) == nil
      else { return true }
      state.table.keep(
        key, hash, value, cost: max(cost, 0), insteadOf: earlier, at: now - age,
        &removed)
      return true
    }
  }

  /// Removes all results, and stores no further ones.
  func close() {
    var removed: [Node] = []
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
    var removed: [Node] = []
    defer { withExtendedLifetime(removed) {} }
    // Before it is looked up, so that it is not stored meanwhile.
    let hash = keys.hash(key)
    state.withLock { $0.removals.note(hash) }
    return withNode(of: key) { state, _, node, _ in
      state.expire(now, &removed)
      return node.map { state.table.remove($0, &removed) } ?? false
    }
  }

  /// Removes all results.
  func removeAll() {
    var removed: [Node] = []
    state.withLock { state in
      state.removals.noteAll()
      state.table.removeAll(&removed)
    }
    withExtendedLifetime(removed) {}
  }

  /// The nodes that a predicate chooses, to remove them.
  ///
  /// It runs without the lock, for the results present now. What is being computed now is not stored:
  /// nothing asks whether it is chosen.
  func choose(
    where isChosen: (Key, MemoValue, _ cost: Int) throws -> Bool
  ) rethrows -> [MemoNode<Key, MemoValue>] {
    let now = now
    var removed: [Node] = []
    let all = state.withLock { state in
      state.removals.noteAll()
      state.expire(now, &removed)
      return state.table.all
    }
    defer { withExtendedLifetime((all, removed)) {} }
    return try all.filter { try isChosen($0.key, $0.value, $0.cost) }
  }

  /// Removes nodes, unless they were removed already.
  ///
  /// - Returns: How many were removed.
  func remove(_ chosen: [MemoNode<Key, MemoValue>]) -> Int {
    var removed: [Node] = []
    defer { withExtendedLifetime(removed) {} }
    return state.withLock { state in chosen.count { state.table.remove($0, &removed) } }
  }

  /// The statistics; expired results are removed first.
  var statistics: MemoStatistics {
    let now = now
    var removed: [Node] = []
    defer { withExtendedLifetime(removed) {} }
    return state.withLock { state in
      state.expire(now, &removed)
      return MemoStatistics(
        hits: state.hits, misses: state.misses, evictions: state.table.evictions,
        expirations: state.table.expirations, count: state.table.count,
        totalCost: state.table.totalCost)
    }
  }

  /// Looks a key up, and calls a closure with the outcome under the lock.
  ///
  /// The closure receives the key's hash, its node, which may have been removed meanwhile, and the
  /// stamp of the last node that the search can have seen.
  @inline(__always)
  private func withNode<Result>(
    of key: Key, _ body: (inout State, _ hash: Int, Node?, _ last: UInt64) -> Result
  ) -> Result {
    let hash = keys.hash(key)
    if Keys.isOwn(key) {
      return state.withLock { state in
        // SAFETY: the table retains the node.
        let node = unsafe state.table.first(hash) { $0.key == key }?.takeUnretainedValue()
        return body(&state, hash, node, state.table.lastStamp)
      }
    }
    let (candidates, last) = state.withLock { ($0.table.all(hash), $0.table.lastStamp) }
    defer { withExtendedLifetime(candidates) {} }
    let node = candidates.first { $0.key == key }
    return state.withLock { body(&$0, hash, node, last) }
  }
}
