internal import BlockHooks
internal import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes
internal import Synchronization

/// Values by key, for all threads: what is behind a `MemoCache` and a memoizing hook.
///
/// No client code runs under the lock. Keys are hashed before nodes are looked up by the hash, and
/// compared afterwards; an operation on a node takes place if the node is still there. Keys whose
/// comparison runs no client code are compared under the lock. Removed nodes are released outside
/// the lock.
final class MemoStore<Keys: StoreKeys, Value>: Sendable {
  typealias Key = Keys.Key
  typealias Node = MemoTable<Key, Value>.Node
  typealias Miss = SharedMiss<Key, Value>

  struct State: ~Copyable {
    var table: MemoTable<Key, Value>
    var limits: MemoLimits
    var hits = 0
    var misses = 0
    var isClosed = false

    var removals = RemovalLog()

    /// The number of removals of a tier's results in progress, and the ticket at the end of the
    /// last.
    var removing = 0
    var lastEnd: UInt64 = 0

    /// The values that are being computed for several callers, by the hashes of their keys.
    var shared: [Int: Miss] = [:]

    /// The groups of nodes whose objects still live.
    var groups: [UInt: MemoGroup] = [:]

    // SAFETY: the caller retains the node, or has found it while holding the lock.
    /// Uses a node for a call, which is counted as a hit or a miss.
    @inline(__always)
    fileprivate mutating func use(
      _ node: Node.Reference?, _ now: UInt64, _ word: (Value) -> UInt64?
    ) -> Found {
      guard let node = unsafe node else {
        misses += 1
        return .missing(ticket: removals.ticket, expired: nil)
      }
      return unsafe node._withUnsafeGuaranteedRef { node in
        guard table.use(node, now) else {
          misses += 1
          let expired = table.removeExpired(node)
          if let expired {
            removals.note(node.hash, before: node.birth)
            ungroup([expired])
          }
          return .missing(ticket: removals.ticket, expired: expired)
        }
        hits += 1
        if let word = word(node.value) { return .word(word) }
        return .node(node)
      }
    }

    /// Removes the nodes that have expired; no older value is stored afterwards.
    mutating func expire(_ now: UInt64, _ removed: inout [Node]) {
      let first = removed.count
      table.expire(now, &removed)
      for node in removed[first...] { removals.note(node.hash, before: node.birth) }
    }

    /// Removes removed nodes from their groups.
    mutating func ungroup(_ removed: [Node]) {
      for node in removed where node.group != 0 { groups[node.group]?.remove(node.hash) }
    }
  }

  /// The outcome of a look-up under the lock.
  fileprivate enum Found {
    /// A value that is a number; its node is not retained.
    case word(UInt64)
    case node(Node)
    /// No value; the expired node is released where client code may run.
    case missing(ticket: UInt64, expired: Node?)
  }

  let keys: Keys
  private let state: Locked<State>
  private let clock: ClockReading
  private let onEviction: (@Sendable (Key, Value) -> Void)?

  /// Whether there is a limit of age.
  private let hasAge: Atomic<Bool>

  init(
    _ keys: Keys, _ limits: MemoLimits, _ clock: ClockReading, pressure: MemoryPressure?,
    onEviction: (@Sendable (Key, Value) -> Void)? = nil
  ) {
    self.keys = keys
    let bounds = MemoBounds(limits)
    state = Locked(State(table: MemoTable(bounds), limits: limits))
    hasAge = Atomic(bounds.age != nil)
    self.clock = clock
    self.onEviction = onEviction
    pressure?.add(self)
  }

  deinit { state.withLock { $0.groups }.values.forEach { $0.end.remove() } }

  /// The time by which values age.
  var now: UInt64 { clock.nanoseconds }

  /// The value of a key, as a number where `word`, which is called under the lock, has one for it;
  /// counts the call as a hit or a miss.
  @inline(__always)
  func find(_ key: Key, word: (Value) -> UInt64? = { _ in nil }) -> MemoLookup<Value> {
    switch look(key, hasAge.load(ordering: .relaxed) ? now : 0, word) {
    case .word(let word): return .word(word)
    case .node(let node): return .value(node.value)
    case .missing(let ticket, let expired):
      if let expired { release([expired]) }
      return .missing(ticket: ticket)
    }
  }

  @inline(__always)
  private func look(_ key: Key, _ now: UInt64, _ word: (Value) -> UInt64?) -> Found {
    guard Keys.isOwn(key) else {
      return withNode(of: key) { state, _, _, node, _ in
        unsafe state.use(node?.unretained, now, word)
      }
    }
    // The node need not be retained.
    let hash = keys.hash(key)
    return state.withLock { state in
      unsafe state.use(state.table.first(hash) { $0.key == key }, now, word)
    }
  }

  /// The value of a key; the look-up does not count as its use.
  func peek(_ key: Key) -> Value? {
    let now = now
    return withNode(of: key) { state, removed, _, node, _ in
      state.expire(now, &removed)
      return node.flatMap { $0.isStored ? $0.value : nil }
    }
  }

  /// Counts a call that has no key as a miss.
  func countMiss() { state.withLock { $0.misses += 1 } }

  /// Counts a call that was a miss here, and that a tier or another call answers, as a hit.
  func countAnswer() {
    state.withLock { state in
      state.misses -= 1
      state.hits += 1
    }
  }

  /// Whether values of an age, in nanoseconds, have expired.
  func isTooOld(_ age: UInt64) -> Bool {
    state.withLock { $0.table.bounds.age.map { age >= $0 } ?? false }
  }

  /// Stores a value; a negative cost counts as 0.
  ///
  /// It is not stored if a node with the same hash was added while keys were compared without the
  /// lock: with a good hash that node is of the same call, and newer. Another search might never
  /// end.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  ///   - cost: The value's cost.
  ///   - age: The time since a value from a tier was computed, in nanoseconds; nil for a value that
  ///     was computed now. If there is a limit of age, a value that is older than the clock is not
  ///     stored.
  ///   - now: The time at which the value was computed, or found in a tier.
  ///   - ticket: The ticket of the call, after which the key must not have been removed; nil for a
  ///     value that is not computed: it takes precedence over a computation in progress.
  ///   - group: The group of the object with which the value is removed; 0 for none.
  /// - Returns: False if the key was removed since, or the store is closed.
  @discardableResult
  func keep(
    _ key: Key, _ value: Value, cost: Int, age: UInt64? = nil, at now: UInt64,
    since ticket: UInt64?, in group: UInt = 0
  ) -> Bool {
    withNode(of: key) { state, removed, hash, earlier, last in
      state.expire(now, &removed)
      if let ticket {
        if state.isClosed || state.removals.covers(hash, since: ticket) { return false }
        if age != nil, state.removing > 0 || state.lastEnd > ticket { return false }
      } else if state.shared[hash] != nil {
        state.removals.note(hash)
      }
      if let age, age > now, state.table.bounds.age != nil { return true }
      guard unsafe state.table.first(hash, where: { $0.birth > last }) == nil else { return true }
      // The group may have ended.
      guard group == 0 || state.groups[group] != nil else { return false }
      let isKept = state.table.keep(
        key, hash, value, cost: max(cost, 0), insteadOf: earlier,
        birth: state.removals.nextTicket(), at: now - min(age ?? 0, now), in: group, &removed)
      if isKept, group != 0 { state.groups[group]?.add(hash) }
      return true
    }
  }

  /// The limits; new limits hold at once.
  var limits: MemoLimits {
    get { state.withLock { $0.limits } }
    set {
      let (bounds, now) = (MemoBounds(newValue), now)
      hasAge.store(bounds.age != nil, ordering: .relaxed)
      change { state, removed in
        state.limits = newValue
        state.table.bounds = bounds
        state.expire(now, &removed)
        state.table.evict(to: bounds, &removed)
      }
    }
  }

  /// The statistics; expired values are removed first.
  var statistics: MemoStatistics {
    let now = now
    return change { state, removed in
      state.expire(now, &removed)
      return MemoStatistics(
        hits: state.hits, misses: state.misses, evictions: state.table.evictions,
        expirations: state.table.expirations, count: state.table.count,
        totalCost: state.table.totalCost)
    }
  }

  /// Changes the state; removed nodes are released, and evictions reported, without the lock.
  func change<Result>(_ body: (inout State, inout [Node]) -> Result) -> Result {
    var removed: [Node] = []
    defer { release(removed) }
    return state.withLock { state in
      defer { state.ungroup(removed) }
      return body(&state, &removed)
    }
  }

  /// Reports the nodes that were evicted, and releases all.
  private func release(_ removed: [Node]) {
    guard let onEviction else { return withExtendedLifetime(removed) {} }
    for node in removed where node.isEvicted { onEviction(node.key, node.value) }
  }

  /// Looks a key up, and changes the state.
  ///
  /// The closure receives the key's hash, its node, which may have been removed meanwhile, and the
  /// ticket of the last node that the search can have seen.
  @inline(__always)
  func withNode<Result>(
    of key: Key,
    _ body: (inout State, inout [Node], _ hash: Int, Node?, _ last: UInt64) -> Result
  ) -> Result {
    let hash = keys.hash(key)
    if Keys.isOwn(key) {
      return change { state, removed in
        // SAFETY: the table retains the node.
        let node = unsafe state.table.first(hash) { $0.key == key }?.takeUnretainedValue()
        return body(&state, &removed, hash, node, state.removals.ticket)
      }
    }
    let (candidates, last) = state.withLock { ($0.table.all(hash), $0.removals.ticket) }
    defer { withExtendedLifetime(candidates) {} }
    let node = candidates.first { $0.key == key }
    return change { body(&$0, &$1, hash, node, last) }
  }
}
