/// Values by key, bounded by count, cost and age; the least recently used is removed first.
///
/// Finding, storing and removing an entry take amortised constant time. The entries are in a list in
/// the order of their last uses. If there is a limit of age, births are queued with increasing
/// stamps; those of entries that were removed are dropped when they outnumber the entries.
///
/// Keys are neither hashed nor compared here, but only by the predicates given to `first` and
/// `all`.
struct MemoTable<Key, Value> {
  /// One key with its value.
  final class Entry {
    let key: Key
    let value: Value
    let cost: Int

    /// The stamp of the entry's birth, which is unique; later entries have higher stamps.
    let birth: UInt64

    fileprivate let slot: Int
    fileprivate let time: UInt64

    fileprivate init(
      _ key: Key, _ value: Value, cost: Int, birth: UInt64, slot: Int, time: UInt64
    ) {
      self.key = key
      self.value = value
      self.cost = cost
      self.birth = birth
      self.slot = slot
      self.time = time
    }
  }

  /// The state of a slot, which can be read without its entry.
  private struct Mark {
    /// The stamp of the entry's birth; 0 if there is no entry.
    var birth: UInt64 = 0

    /// The slots of the entries that were used next after and next before this one; negative at the
    /// ends of the list.
    var newer = -1
    var older = -1
  }

  private let limits: MemoLimits
  private let age: UInt64?
  private var index = SlotIndex()
  private var entries: ContiguousArray<Entry?> = []
  private var marks: ContiguousArray<Mark> = []
  private var vacant: [Int] = []
  private var births = EventQueue()

  /// The slots of the most and the least recently used entries; negative if there is none.
  private var newest = -1
  private var oldest = -1

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

  /// The number of entries, including expired ones that were not removed yet.
  var count: Int { index.count }

  var totalCost: Int { Int(clamping: costs) }

  /// All entries.
  var all: [Entry] { entries.compactMap { $0 } }

  /// An entry that a predicate chooses among those whose keys have a hash.
  func first(_ hash: Int, where isChosen: (Entry) -> Bool) -> Entry? {
    var slot = index.first(hash)
    while let found = slot {
      if let entry = entries[found], isChosen(entry) { return entry }
      slot = index.next(after: found)
    }
    return nil
  }

  /// The entries whose keys have a hash.
  func all(_ hash: Int) -> [Entry] {
    var all: [Entry] = []
    _ = first(hash) { entry in
      all.append(entry)
      return false
    }
    return all
  }

  /// Makes an entry the most recently used one; an expired entry is removed.
  ///
  /// - Parameters:
  ///   - entry: An entry that was in the table at `now` or later; if it was removed since, its use
  ///     is not recorded.
  ///   - now: The time, in nanoseconds.
  ///   - removed: Receives the expired entry, which the caller releases where client code may run.
  /// - Returns: Whether the entry has not expired.
  mutating func use(_ entry: Entry, _ now: UInt64, _ removed: inout [Entry]) -> Bool {
    if isExpired(entry.time, now) {
      if remove(entry, &removed) { expirations += 1 }
      return false
    }
    if newest != entry.slot, has(entry) {
      unlink(entry.slot)
      linkNewest(entry.slot)
    }
    return true
  }

  /// Stores a value, which replaces an earlier one with the same key; a value that alone exceeds
  /// the limit of cost is not stored.
  mutating func keep(
    _ key: Key, _ hash: Int, _ value: Value, cost: Int, insteadOf earlier: Entry?, _ now: UInt64,
    _ removed: inout [Entry]
  ) {
    if let limit = limits.cost, cost > limit { return }
    expire(now, &removed)
    if let earlier { _ = remove(earlier, &removed) }
    let slot = vacant.popLast() ?? entries.count
    if slot == entries.count {
      entries.append(nil)
      marks.append(Mark())
    }
    lastStamp += 1
    let birth = lastStamp
    entries[slot] = Entry(key, value, cost: cost, birth: birth, slot: slot, time: now)
    marks[slot] = Mark(birth: birth)
    index.insert(slot, hash)
    costs += Int128(cost)
    linkNewest(slot)
    if age != nil { noteBirth(slot, birth) }
    evict(&removed)
  }

  /// Removes the entries that have expired.
  mutating func expire(_ now: UInt64, _ removed: inout [Entry]) {
    while let event = births.first {
      if let entry = entries[event.slot], entry.birth == event.stamp {
        guard isExpired(entry.time, now) else { return }
        expirations += 1
        take(event.slot, &removed)
      }
      births.popFirst()
    }
  }

  /// Removes an entry, unless it was removed already.
  ///
  /// - Returns: Whether it was still there.
  mutating func remove(_ entry: Entry, _ removed: inout [Entry]) -> Bool {
    guard has(entry) else { return false }
    take(entry.slot, &removed)
    return true
  }

  private func has(_ entry: Entry) -> Bool {
    entry.slot < marks.count && marks[entry.slot].birth == entry.birth
  }

  /// Removes all entries.
  mutating func removeAll(_ removed: inout [Entry]) {
    removed += all
    index = SlotIndex()
    entries = []
    marks = []
    vacant = []
    births = EventQueue()
    newest = -1
    oldest = -1
    costs = 0
  }

  /// Whether a time is at least as long ago as the limit of age; a time from another thread may be
  /// later than now.
  private func isExpired(_ time: UInt64, _ now: UInt64) -> Bool {
    guard let age else { return false }
    return now > time && now - time >= age
  }

  /// Removes the least recently used entries until the limits hold.
  private mutating func evict(_ removed: inout [Entry]) {
    while count > limits.count ?? .max
      || costs > Int128(limits.cost ?? .max) && count > 1
    {
      guard oldest >= 0 else { return }
      evictions += 1
      take(oldest, &removed)
    }
  }

  private mutating func noteBirth(_ slot: Int, _ stamp: UInt64) {
    births.append(EventQueue.Event(slot: slot, stamp: stamp))
    if births.count > 2 * count + 64 { births.removeAll { marks[$0.slot].birth != $0.stamp } }
  }

  /// Inserts a slot at the end of the most recently used entries.
  private mutating func linkNewest(_ slot: Int) {
    marks[slot].newer = -1
    marks[slot].older = newest
    if newest >= 0 { marks[newest].newer = slot } else { oldest = slot }
    newest = slot
  }

  private mutating func unlink(_ slot: Int) {
    let mark = marks[slot]
    if mark.newer >= 0 { marks[mark.newer].older = mark.older } else { newest = mark.older }
    if mark.older >= 0 { marks[mark.older].newer = mark.newer } else { oldest = mark.newer }
  }

  private mutating func take(_ slot: Int, _ removed: inout [Entry]) {
    guard let entry = entries[slot] else { return }
    entries[slot] = nil
    unlink(slot)
    marks[slot] = Mark()
    index.remove(slot)
    vacant.append(slot)
    costs -= Int128(entry.cost)
    removed.append(entry)
  }
}
