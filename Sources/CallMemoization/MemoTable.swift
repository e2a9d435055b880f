/// Values by key, least recently used first out, bounded by count, cost and age.
///
/// Looking up, keeping and removing one entry take constant time, amortised: every use is queued
/// with a stamp that grows; of the uses of one entry only the last counts, and the others are
/// dropped when they outnumber the entries. Births are queued likewise where there is an age.
struct MemoTable<Key: Hashable, Value> {
  /// One key with its value.
  final class Entry {
    let key: Key
    let value: Value
    let cost: Int

    /// The stamp of the entry's birth, which no other entry ever has.
    fileprivate let birth: UInt64

    fileprivate init(_ key: Key, _ value: Value, cost: Int, birth: UInt64) {
      self.key = key
      self.value = value
      self.cost = cost
      self.birth = birth
    }
  }

  /// What is asked of the entry in a slot without touching it; stamps of 0 where there is none.
  private struct Mark {
    var birth: UInt64 = 0
    var lastUse: UInt64 = 0
    var time: UInt64 = 0
  }

  private let limits: MemoLimits
  private let age: UInt64?
  private var slots: [Key: Int] = [:]
  private var entries: ContiguousArray<Entry?> = []
  private var marks: ContiguousArray<Mark> = []
  private var vacant: [Int] = []
  private var uses = EventQueue()
  private var births = EventQueue()
  private var lastStamp: UInt64 = 0
  private var costs: Int128 = 0

  /// How many entries had to go for the limits of count and cost, and how many for their age.
  private(set) var evictions = 0
  private(set) var expirations = 0

  init(_ limits: MemoLimits) {
    self.limits = limits
    age = limits.ageInNanoseconds
  }

  /// How many entries there are, expired ones included until they are noticed.
  var count: Int { slots.count }

  var totalCost: Int { Int(clamping: costs) }

  /// All entries.
  var all: [Entry] { entries.compactMap { $0 } }

  /// The entry of a key, which becomes the last used.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: The time, in nanoseconds.
  ///   - removed: Receives what has expired, to be released where foreign code may run.
  /// - Returns: The entry, nil if there is none that is young enough.
  mutating func find(_ key: Key, _ now: UInt64, _ removed: inout [Entry]) -> Entry? {
    guard let slot = slots[key] else { return nil }
    let mark = marks[slot]
    if isExpired(mark.time, now) {
      expirations += 1
      take(slot, &removed)
      return nil
    }
    if mark.lastUse != lastStamp { noteUse(slot) }
    return entries[slot]
  }

  /// Keeps a value in place of an earlier one of the key; one that costs more than is allowed in all
  /// is not kept.
  mutating func keep(
    _ key: Key, _ value: Value, cost: Int, _ now: UInt64, _ removed: inout [Entry]
  ) {
    if let limit = limits.cost, cost > limit { return }
    expire(now, &removed)
    if let slot = slots[key] { take(slot, &removed) }
    let slot = vacant.popLast() ?? entries.count
    if slot == entries.count {
      entries.append(nil)
      marks.append(Mark())
    }
    let birth = lastStamp + 1
    entries[slot] = Entry(key, value, cost: cost, birth: birth)
    marks[slot] = Mark(birth: birth, time: now)
    slots[key] = slot
    costs += Int128(cost)
    if age != nil { births.append(EventQueue.Event(slot: slot, stamp: birth)) }
    noteUse(slot)
    evict(&removed)
  }

  /// Removes what has expired.
  mutating func expire(_ now: UInt64, _ removed: inout [Entry]) {
    while let event = births.first {
      let mark = marks[event.slot]
      if mark.birth == event.stamp {
        guard isExpired(mark.time, now) else { return }
        expirations += 1
        take(event.slot, &removed)
      }
      births.popFirst()
    }
  }

  /// Removes the entry of a key.
  ///
  /// - Returns: Whether there was one.
  mutating func remove(_ key: Key, _ removed: inout [Entry]) -> Bool {
    guard let slot = slots[key] else { return false }
    take(slot, &removed)
    return true
  }

  /// Removes entries that are still those that `all` gave.
  ///
  /// - Returns: How many there still were.
  mutating func remove(_ chosen: [Entry], _ removed: inout [Entry]) -> Int {
    chosen.count { entry in
      guard let slot = slots[entry.key], marks[slot].birth == entry.birth else { return false }
      take(slot, &removed)
      return true
    }
  }

  /// Removes all entries.
  mutating func removeAll(_ removed: inout [Entry]) {
    removed += all
    slots = [:]
    entries = []
    marks = []
    vacant = []
    uses = EventQueue()
    births = EventQueue()
    costs = 0
  }

  /// Whether a time is as long ago as the limit of age says; another thread's may be later than now.
  private func isExpired(_ time: UInt64, _ now: UInt64) -> Bool {
    guard let age else { return false }
    return now > time && now - time >= age
  }

  /// Removes what was used least recently, until the limits are kept.
  private mutating func evict(_ removed: inout [Entry]) {
    while slots.count > limits.count ?? .max
      || costs > Int128(limits.cost ?? .max) && slots.count > 1
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
    let limit = 2 * slots.count + 64
    if uses.count > limit { uses.removeAll { marks[$0.slot].lastUse != $0.stamp } }
    if births.count > limit { births.removeAll { marks[$0.slot].birth != $0.stamp } }
  }

  private mutating func take(_ slot: Int, _ removed: inout [Entry]) {
    guard let entry = entries[slot] else { return }
    entries[slot] = nil
    marks[slot] = Mark()
    slots[entry.key] = nil
    vacant.append(slot)
    costs -= Int128(entry.cost)
    removed.append(entry)
  }
}

extension MemoTable.Entry: Sendable where Key: Sendable, Value: Sendable {}
