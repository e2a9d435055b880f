/// Pending blocks by the time at which they are due: a hierarchical timing wheel that resolves single
/// nanoseconds, after Varghese and Lauck, *Hashed and Hierarchical Timing Wheels* (1987).
///
/// Level *n* has 64 slots of 64ⁿ nanoseconds. A block lies on the level of the highest digit, to base
/// 64, in which its time differs from the wheel's `time`, in the slot of that digit: so the first slot
/// of the lowest level in use holds the blocks that are due first, a slot of level 0 blocks that are due
/// at the same nanosecond, and blocks that are due at the same time always lie in the same slot. They
/// are due in the order of their places: a block gets one when it is scheduled or moved, and keeps it
/// when it is due again. Mostly they come in that order; where they did not, a slot of level 0 is
/// sorted when its first block is taken out. When `time` enters a slot of a higher level, its blocks are spread
/// over lower levels: each moves at most ten times, and adding and removing take constant time.
///
/// ## Safety
///
/// The wheel's owner guards it by a lock, which guards also the links, `due`, `place` and `isLinked` of
/// the blocks. A linked block is alive: whoever adds one gives the wheel a reference, and whoever takes
/// one out gets it back.
@safe struct TimingWheel: ~Copyable, @unchecked Sendable {
  typealias Link = Unmanaged<DelayedBlock>

  @safe private struct Slot {
    var first: Link?
    var last: Link?
    /// No block of the slot is due before this; one is due then, unless it was taken out.
    var earliest: UInt64 = 0
    /// Whether the blocks, on level 0, are not in the order of their places.
    var isUnsorted = false
  }

  private static let levelCount = 11
  private static let never = DelayTimer.Instant.never.nanoseconds

  private let slots: UnsafeMutablePointer<Slot>

  /// The slots in use, a bit each, level by level.
  private var occupied = InlineArray<11, UInt64>(repeating: 0)

  /// The levels in use, a bit each.
  private var occupiedLevels: UInt16 = 0

  /// No block is due before this time; it never goes back.
  private var time: UInt64

  /// The place of the next block that gets one.
  private var nextPlace: UInt64 = 0

  /// How many blocks are pending.
  private(set) var count = 0

  /// Creates an empty wheel.
  init(time: UInt64) {
    self.time = time
    let slotCount = Self.levelCount * 64
    // SAFETY: the memory is the wheel's until its end.
    unsafe slots = .allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: Slot(), count: slotCount)
  }

  deinit { unsafe slots.deallocate() }

  /// The time before which no block is due; exact, unless the block that was due then was taken out.
  ///
  /// Nil if no block is ever due.
  var earliest: UInt64? {
    guard let index = firstIndex else { return nil }
    // SAFETY: indices lie within the slots.
    let earliest = unsafe slots[index].earliest
    return earliest < Self.never ? earliest : nil
  }

  /// All blocks, in the order of their times as far as the wheel knows it.
  var blocks: [DelayedBlock] {
    var blocks: [DelayedBlock] = []
    blocks.reserveCapacity(count)
    for level in 0..<Self.levelCount {
      for slot in 0..<64 where occupied[level] & (1 << UInt64(slot)) != 0 {
        // SAFETY: the index lies within the slots, and the blocks are linked, hence alive.
        var rest = unsafe slots[level * 64 + slot].first
        while let link = unsafe rest {
          let block = unsafe link.takeUnretainedValue()
          blocks.append(block)
          unsafe rest = block.next
        }
      }
    }
    return blocks
  }

  /// Adds a block that is due at its `due`, or now if that is past: behind all others of the time, or,
  /// `again`, in the place that it had.
  mutating func add(_ link: Link, again: Bool = false) {
    // SAFETY: the caller gives the wheel a reference.
    unsafe link._withUnsafeGuaranteedRef { block in
      if unsafe block.due < time { unsafe block.due = time }
      unsafe block.isLinked = true
      if !again { unsafe block.place = nextPlace }
    }
    if !again { nextPlace &+= 1 }
    count += 1
    unsafe append(link)
  }

  /// Takes out a block that is linked; the wheel's reference is the caller's then.
  mutating func remove(_ block: DelayedBlock) {
    let next = unsafe block.next
    let previous = unsafe block.previous
    if unsafe previous == nil || next == nil {
      let index = unsafe index(of: block.due)
      // SAFETY: the neighbours are linked, hence alive, and the index lies within the slots.
      if let previous = unsafe previous {
        unsafe previous._withUnsafeGuaranteedRef { unsafe $0.next = nil }
        unsafe slots[index].last = previous
      } else if let next = unsafe next {
        unsafe next._withUnsafeGuaranteedRef { unsafe $0.previous = nil }
        unsafe slots[index].first = next
      } else {
        empty(index)
      }
    } else if let previous = unsafe previous, let next = unsafe next {
      // SAFETY: as above.
      unsafe previous._withUnsafeGuaranteedRef { unsafe $0.next = next }
      unsafe next._withUnsafeGuaranteedRef { unsafe $0.previous = previous }
    }
    unsafe block.next = nil
    unsafe block.previous = nil
    unsafe block.isLinked = false
    count -= 1
  }

  /// Takes out the block that is due first, if it is due at a time or before; the wheel's reference is
  /// the caller's then.
  mutating func removeFirst(dueAt now: UInt64) -> Link? {
    while let index = firstIndex {
      // SAFETY: the index lies within the slots.
      let earliest = unsafe slots[index].earliest
      // What is due never stays, also at the end of time.
      guard earliest <= now, earliest < Self.never else { return nil }
      time = max(time, earliest)
      guard index < 64 else {
        spread(index)
        continue
      }
      if unsafe slots[index].isUnsorted { sort(index) }
      guard let first = unsafe slots[index].first else { return nil }
      // SAFETY: the block is linked, hence alive.
      unsafe first._withUnsafeGuaranteedRef { remove($0) }
      return unsafe first
    }
    return nil
  }

  /// The slot of the blocks that are due first.
  private var firstIndex: Int? {
    guard occupiedLevels != 0 else { return nil }
    let level = occupiedLevels.trailingZeroBitCount
    return level * 64 + occupied[level].trailingZeroBitCount
  }

  /// The slot of a time that is not before the wheel's.
  private func index(of due: UInt64) -> Int {
    let highestBit = 63 - ((due ^ time) | 1).leadingZeroBitCount
    let level = highestBit / 6
    return level * 64 + Int((due >> UInt64(level * 6)) & 63)
  }

  /// Puts a block at the end of its slot.
  private mutating func append(_ link: Link) {
    // SAFETY: the block and the slot's last one are linked, hence alive; the index lies within the slots.
    let due = unsafe link._withUnsafeGuaranteedRef { unsafe $0.due }
    let index = index(of: due)
    if let last = unsafe slots[index].last {
      if index < 64, unsafe Self.place(of: link) < Self.place(of: last) {
        unsafe slots[index].isUnsorted = true
      }
      unsafe last._withUnsafeGuaranteedRef { unsafe $0.next = link }
      unsafe link._withUnsafeGuaranteedRef { unsafe $0.previous = last }
      if unsafe due < slots[index].earliest { unsafe slots[index].earliest = due }
    } else {
      unsafe slots[index].first = link
      unsafe slots[index].earliest = due
      occupied[index / 64] |= 1 << UInt64(index % 64)
      occupiedLevels |= 1 << UInt16(index / 64)
    }
    unsafe slots[index].last = link
  }

  /// Spreads the blocks of a slot that `time` has entered over lower levels.
  private mutating func spread(_ index: Int) {
    var rest = unsafe slots[index].first
    empty(index)
    while let link = unsafe rest {
      // SAFETY: the block is linked, hence alive.
      unsafe link._withUnsafeGuaranteedRef { block in
        unsafe rest = block.next
        unsafe block.next = nil
        unsafe block.previous = nil
      }
      unsafe append(link)
    }
  }

  private static func place(of link: Link) -> UInt64 {
    // SAFETY: the block is linked, hence alive.
    unsafe link._withUnsafeGuaranteedRef { unsafe $0.place }
  }

  /// Puts the blocks of a slot in the order of their places.
  private mutating func sort(_ index: Int) {
    var links = unsafe [Link]()
    var rest = unsafe slots[index].first
    while let link = unsafe rest {
      unsafe links.append(link)
      // SAFETY: the block is linked, hence alive.
      unsafe rest = unsafe link._withUnsafeGuaranteedRef { unsafe $0.next }
    }
    unsafe links.sort { unsafe Self.place(of: $0) < Self.place(of: $1) }
    empty(index)
    for position in unsafe links.indices {
      // SAFETY: as above.
      unsafe links[position]._withUnsafeGuaranteedRef { block in
        unsafe block.next = nil
        unsafe block.previous = nil
      }
      unsafe append(links[position])
    }
  }

  /// Marks a slot as unused.
  private mutating func empty(_ index: Int) {
    // SAFETY: the index lies within the slots.
    unsafe slots[index].first = nil
    unsafe slots[index].last = nil
    unsafe slots[index].isUnsorted = false
    let level = index / 64
    occupied[level] &= ~(1 << UInt64(index % 64))
    if occupied[level] == 0 { occupiedLevels &= ~(1 << UInt16(level)) }
  }
}
