/// Values by key, bounded by count, cost and age; the least recently used is removed first.
///
/// Finding, storing and removing an entry take amortised constant time. The entries with one hash
/// are in a chain; all entries are in a list in the order of their last uses, and, if there is a
/// limit of age, in one in the order of their births.
///
/// Keys are neither hashed nor compared here, but only by the predicates given to `first` and
/// `all`.
@safe
struct MemoTable<Key, Value>: ~Copyable {
  // SAFETY: the chains own one reference to each entry, which `insert` makes and `take` takes over;
  // so all entries to which links refer are alive.

  typealias Entry = MemoEntry<Key, Value>

  private let limits: MemoLimits
  private let age: UInt64?

  /// The first entries of the chains, whose number is a power of two or zero.
  private var chains = unsafe ContiguousArray<Entry.Reference?>()

  /// The number of entries, including expired ones that were not removed yet.
  private(set) var count = 0

  private var byUse = MemoList<Key, Value, ByUse>()
  private var byBirth = MemoList<Key, Value, ByBirth>()

  /// The stamp of the last birth.
  private(set) var lastStamp: UInt64 = 0

  private var costs: Int128 = 0

  /// The numbers of entries removed because of the limits of count and cost, and because of their
  /// age.
  private(set) var evictions = 0
  private(set) var expirations = 0

  init(_ limits: MemoLimits) {
    self.limits = limits
    age = limits.ageInNanoseconds
  }

  deinit {
    var entry = unsafe byUse.first
    while let current = unsafe entry {
      let released = unsafe current.takeRetainedValue()
      unsafe entry = unsafe byUse.next(after: released)
    }
  }

  var totalCost: Int { Int(clamping: costs) }

  /// All entries, the least recently used first.
  var all: [Entry] {
    var all: [Entry] = []
    var entry = unsafe byUse.first
    while let current = unsafe entry?.takeUnretainedValue() {
      all.append(current)
      unsafe entry = unsafe byUse.next(after: current)
    }
    return all
  }

  /// An entry that a predicate chooses among those whose keys have a hash; the reference is valid
  /// while the table is not changed.
  @inline(__always)
  func first(_ hash: Int, where isChosen: (Entry) -> Bool) -> Entry.Reference? {
    guard unsafe !chains.isEmpty else { return nil }
    var entry = unsafe chains[chain(of: hash)]
    while let current = unsafe entry {
      let isFound = unsafe current._withUnsafeGuaranteedRef { $0.hash == hash && isChosen($0) }
      if isFound { return unsafe current }
      unsafe entry = unsafe current._withUnsafeGuaranteedRef { unsafe $0.next }
    }
    return nil
  }

  /// The entries whose keys have a hash.
  func all(_ hash: Int) -> [Entry] {
    var all: [Entry] = []
    _ = unsafe first(hash) { entry in
      all.append(entry)
      return false
    }
    return all
  }

  /// Makes an entry the most recently used one, unless it has expired.
  ///
  /// - Parameters:
  ///   - entry: An entry that was in the table at `now` or later; if it was removed since, its use
  ///     is not recorded.
  ///   - now: The time, in nanoseconds.
  /// - Returns: Whether the entry has not expired.
  @inline(__always)
  mutating func use(_ entry: Entry, _ now: UInt64) -> Bool {
    if isExpired(entry.time, now) { return false }
    if entry.isStored {
      byUse.remove(entry)
      byUse.append(entry)
    }
    return true
  }

  /// Removes an entry that has expired.
  ///
  /// - Returns: The entry, which the caller releases where client code may run; nil if it was
  ///   removed already.
  mutating func removeExpired(_ entry: Entry) -> Entry? {
    guard entry.isStored else { return nil }
    expirations += 1
    return take(entry)
  }

  /// Stores a value, which replaces an earlier one with the same key; a value that alone exceeds
  /// the limit of cost is not stored.
  mutating func keep(
    _ key: Key, _ hash: Int, _ value: Value, cost: Int, insteadOf earlier: Entry?, at time: UInt64,
    _ removed: inout [Entry]
  ) {
    if let limit = limits.cost, cost > limit { return }
    if let earlier { _ = remove(earlier, &removed) }
    lastStamp += 1
    insert(Entry(key, value, cost: cost, hash: hash, birth: lastStamp, time: time))
    evict(&removed)
  }

  /// Removes the entries that have expired; one from a tier may be older than earlier ones in the
  /// list, and then waits for these, though no call uses it.
  mutating func expire(_ now: UInt64, _ removed: inout [Entry]) {
    while let entry = unsafe byBirth.first?.takeUnretainedValue(), isExpired(entry.time, now) {
      expirations += 1
      removed.append(take(entry))
    }
  }

  /// Removes an entry, unless it was removed already.
  ///
  /// - Returns: Whether it was still there.
  mutating func remove(_ entry: Entry, _ removed: inout [Entry]) -> Bool {
    guard entry.isStored else { return false }
    removed.append(take(entry))
    return true
  }

  /// Removes all entries.
  mutating func removeAll(_ removed: inout [Entry]) {
    while let entry = unsafe byUse.first?.takeUnretainedValue() { removed.append(take(entry)) }
  }

  /// Whether a time is at least as long ago as the limit of age; a time from another thread may be
  /// later than now.
  @inline(__always)
  private func isExpired(_ time: UInt64, _ now: UInt64) -> Bool {
    guard let age else { return false }
    return now > time && now - time >= age
  }

  /// Removes the least recently used entries until the limits hold.
  private mutating func evict(_ removed: inout [Entry]) {
    while count > limits.count ?? .max
      || costs > Int128(limits.cost ?? .max) && count > 1
    {
      guard let oldest = unsafe byUse.first?.takeUnretainedValue() else { return }
      evictions += 1
      removed.append(take(oldest))
    }
  }

  @inline(__always)
  private func chain(of hash: Int) -> Int { unsafe hash & (chains.count - 1) }

  private mutating func insert(_ entry: Entry) {
    if unsafe count == chains.count { grow() }
    let chain = chain(of: entry.hash)
    unsafe entry.next = unsafe chains[chain]
    unsafe chains[chain] = unsafe .passRetained(entry)
    entry.isStored = true
    byUse.append(entry)
    if age != nil { byBirth.append(entry) }
    count += 1
    costs += Int128(entry.cost)
  }

  private mutating func take(_ entry: Entry) -> Entry {
    let chain = chain(of: entry.hash)
    if let first = unsafe chains[chain], unsafe first.toOpaque() == entry.unretained.toOpaque() {
      unsafe chains[chain] = unsafe entry.next
    } else {
      var previous = unsafe chains[chain]?.takeUnretainedValue()
      while let current = previous, let next = unsafe current.next?.takeUnretainedValue(),
        next !== entry
      {
        previous = next
      }
      unsafe previous?.next = unsafe entry.next
    }
    byUse.remove(entry)
    if age != nil { byBirth.remove(entry) }
    entry.isStored = false
    count -= 1
    costs -= Int128(entry.cost)
    return unsafe entry.unretained.takeRetainedValue()
  }

  private mutating func grow() {
    unsafe chains = ContiguousArray(repeating: nil, count: max(8, 2 * chains.count))
    var entry = unsafe byUse.first
    while let current = unsafe entry?.takeUnretainedValue() {
      let chain = chain(of: current.hash)
      unsafe current.next = unsafe chains[chain]
      unsafe chains[chain] = unsafe current.unretained
      unsafe entry = unsafe byUse.next(after: current)
    }
  }
}
