/// Values by key, bounded by count, cost and age; the least recently used is removed first.
///
/// Finding, storing and removing an entry take amortised constant time. Every use is queued with an
/// increasing stamp. Only the last use of an entry counts; the others are removed when they
/// outnumber the entries. Births are queued in the same way if there is a limit of age.
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

  /// The stamps of the entry in a slot, which can be read without the entry; 0 if there is none.
  private struct Mark {
    var birth: UInt64 = 0
    var lastUse: UInt64 = 0
  }

  private let limits: MemoLimits
  private let age: UInt64?
  private var index = SlotIndex()
  private var entries: ContiguousArray<Entry?> = []
  private var marks: ContiguousArray<Mark> = []
  private var vacant: [Int] = []
  private var uses = EventQueue()
  private var births = EventQueue()

  /// The stamp of the last birth or use.
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
    if has(entry), marks[entry.slot].lastUse != lastStamp { noteUse(entry.slot) }
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
    let birth = lastStamp + 1
    entries[slot] = Entry(key, value, cost: cost, birth: birth, slot: slot, time: now)
    marks[slot] = Mark(birth: birth)
    index.insert(slot, hash)
    costs += Int128(cost)
    if age != nil { births.append(EventQueue.Event(slot: slot, stamp: birth)) }
    noteUse(slot)
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
    uses = EventQueue()
    births = EventQueue()
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
      guard let event = uses.popFirst() else { return }
      guard marks[event.slot].lastUse == event.stamp else { continue }
      evictions += 1
      take(event.slot, &removed)
    }
  }

  private mutating func noteUse(_ slot: Int) {
    lastStamp += 1
    marks[slot].lastUse = lastStamp
    uses.append(EventQueue.Event(slot: slot, stamp: lastStamp))
    let limit = 2 * count + 64
    if uses.count > limit { uses.removeAll { marks[$0.slot].lastUse != $0.stamp } }
    if births.count > limit { births.removeAll { marks[$0.slot].birth != $0.stamp } }
  }

  private mutating func take(_ slot: Int, _ removed: inout [Entry]) {
    guard let entry = entries[slot] else { return }
    entries[slot] = nil
    marks[slot] = Mark()
    index.remove(slot)
    vacant.append(slot)
    costs -= Int128(entry.cost)
    removed.append(entry)
  }
}
