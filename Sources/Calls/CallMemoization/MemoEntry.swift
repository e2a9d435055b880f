/// One key with its value, and its links in the lists and the chain of a table.
@safe
final class MemoEntry<Key, Value> {
  // SAFETY: the links are those of entries in the same table, which retains them; the table's user
  // guards them by a lock.

  typealias Reference = Unmanaged<MemoEntry<Key, Value>>

  /// The entries beside one in a list.
  @unsafe
  struct Links {
    var earlier: Reference?
    var later: Reference?
  }

  let key: Key
  let value: Value
  let cost: Int

  /// The hash of the key.
  let hash: Int

  /// The stamp of the entry's birth, which is unique; later entries have higher stamps.
  let birth: UInt64

  /// The time of the birth, in nanoseconds.
  let time: UInt64

  /// Whether the entry is in its table.
  var isStored = false

  /// The next entry in the chain of the hash.
  var next: Reference?

  fileprivate var linksByUse = unsafe Links()
  fileprivate var linksByBirth = unsafe Links()

  init(_ key: Key, _ value: Value, cost: Int, hash: Int, birth: UInt64, time: UInt64) {
    self.key = key
    self.value = value
    self.cost = cost
    self.hash = hash
    self.birth = birth
    self.time = time
    unsafe next = nil
  }

  // SAFETY: who stores the reference retains the entry.
  /// The entry, unretained.
  var unretained: Reference { unsafe .passUnretained(self) }
}

/// What a list of entries is ordered by; an entry has links for each order.
protocol MemoOrder {
  static var isByUse: Bool { get }
}

/// The order of the entries' last uses.
enum ByUse: MemoOrder {
  static var isByUse: Bool { true }
}

/// The order of the entries' births.
enum ByBirth: MemoOrder {
  static var isByUse: Bool { false }
}

/// A list of a table's entries, linked in the entries themselves: adding and removing take constant
/// time.
@safe
struct MemoList<Key, Value, Order: MemoOrder> {
  // SAFETY: as for the entries' links.

  typealias Entry = MemoEntry<Key, Value>

  private(set) var first: Entry.Reference?
  private(set) var last: Entry.Reference?

  init() { unsafe (first, last) = (nil, nil) }

  /// Adds an entry at the end; it must not be in the list.
  @inline(__always)
  mutating func append(_ entry: Entry) {
    unsafe setLinks(of: entry, Entry.Links(earlier: last, later: nil))
    if let last = unsafe last {
      unsafe change(last) { unsafe $0.later = entry.unretained }
    } else {
      unsafe first = entry.unretained
    }
    unsafe last = entry.unretained
  }

  /// Removes an entry that is in the list.
  @inline(__always)
  mutating func remove(_ entry: Entry) {
    let links = unsafe links(of: entry)
    if let earlier = unsafe links.earlier {
      unsafe change(earlier) { unsafe $0.later = unsafe links.later }
    } else {
      unsafe first = unsafe links.later
    }
    if let later = unsafe links.later {
      unsafe change(later) { unsafe $0.earlier = unsafe links.earlier }
    } else {
      unsafe last = unsafe links.earlier
    }
  }

  /// The entry after one that is in the list, or that was its first.
  func next(after entry: Entry) -> Entry.Reference? { unsafe links(of: entry).later }

  @inline(__always)
  private func links(of entry: Entry) -> Entry.Links {
    Order.isByUse ? unsafe entry.linksByUse : unsafe entry.linksByBirth
  }

  @inline(__always)
  private func setLinks(of entry: Entry, _ links: Entry.Links) {
    if Order.isByUse {
      unsafe entry.linksByUse = unsafe links
    } else {
      unsafe entry.linksByBirth = unsafe links
    }
  }

  @inline(__always)
  private func change(_ reference: Entry.Reference, _ body: (inout Entry.Links) -> Void) {
    unsafe reference._withUnsafeGuaranteedRef { entry in
      var links = unsafe links(of: entry)
      unsafe body(&links)
      unsafe setLinks(of: entry, links)
    }
  }
}
