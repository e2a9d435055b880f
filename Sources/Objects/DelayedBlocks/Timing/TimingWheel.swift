/// The pending blocks, by the times at which they are due: a hierarchical timing wheel that
/// resolves single nanoseconds, after Varghese and Lauck, *Hashed and Hierarchical Timing Wheels*
/// (1987).
///
/// Level *n* has 64 slots of 64ⁿ nanoseconds. In base 64, the highest digit in which a block's time
/// differs from the wheel's `time` determines its level, and the digit's value its slot. So the
/// first slot of the lowest level in use contains the blocks that are due first; a slot of level 0
/// contains blocks that are due at the same nanosecond; and blocks that are due at the same time
/// are always in the same slot. These run in the order of their places: a block gets a place when
/// it is scheduled or moved, and a repeating block keeps it. Blocks are mostly added in that order;
/// if they were not, a slot of level 0 is sorted when its first block is taken out. When `time`
/// enters a slot of a higher level, its blocks are distributed to lower levels: each moves at most
/// ten times, and adding and removing take constant time.
///
/// ## Safety
///
/// The wheel's owner guards it by a lock, which also guards the links, `due`, `place` and
/// `isLinked` of the blocks. A linked block is alive: adding it gives the wheel a reference, which
/// the caller gets back when the block is taken out.
@safe struct TimingWheel: ~Copyable {
  typealias Link = Unmanaged<DelayedBlock>

  @safe private struct Slot {
    var first: Link?
    var last: Link?
    /// A lower bound of the times at which the slot's blocks are due; exact, unless the first of
    /// them was taken out.
    var earliest: UInt64 = 0
    /// Whether the blocks of this slot of level 0 are not in the order of their places.
    var isUnsorted = false
  }

  private static let levelCount = 11
  private static let never = DelayTimer.Instant.never.nanoseconds

  private let slots: UnsafeMutablePointer<Slot>

  /// A bit for each slot that has blocks, level by level.
  private var occupied = InlineArray<11, UInt64>(repeating: 0)

  /// A bit for each level that has blocks.
  private var occupiedLevels: UInt16 = 0

  /// The wheel's time: no block is due before it, and it never goes back.
  private var time: UInt64

  /// The place of the next block that is scheduled or moved.
  private var nextPlace: UInt64 = 0

  /// The number of pending blocks.
  private(set) var count = 0

  /// Creates an empty wheel.
  init(time: UInt64) {
    self.time = time
    let slotCount = Self.levelCount * 64
    // SAFETY: the wheel owns the memory, initialises all of it here, and frees it in its deinit.
    unsafe slots = .allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: Slot(), count: slotCount)
  }

  deinit { unsafe slots.deallocate() }

  /// A lower bound of the times at which blocks are due; exact, unless the first block was taken
  /// out.
  ///
  /// It is nil if no block is ever due.
  var earliest: UInt64? {
    guard let index = firstIndex else { return nil }
    // SAFETY: the index of a slot is within the allocated slots.
    let earliest = unsafe slots[index].earliest
    return earliest < Self.never ? earliest : nil
  }

  /// All blocks, in the order of the slots: those of one slot may be in any order.
  var blocks: [DelayedBlock] {
    var blocks: [DelayedBlock] = []
    blocks.reserveCapacity(count)
    for level in 0..<Self.levelCount {
      for slot in 0..<64 where occupied[level] & (1 << UInt64(slot)) != 0 {
        // SAFETY: the index is within the slots, and linked blocks are alive.
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

  /// Adds a block at its time `due`, or at the wheel's time if that is later.
  ///
  /// - Parameters:
  ///   - link: The block, with a reference for the wheel.
  ///   - again: Whether the block keeps its place; otherwise it is behind all others of its time.
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

  /// Takes out a linked block; its reference passes from the wheel to the caller.
  mutating func remove(_ block: DelayedBlock) {
    let next = unsafe block.next
    let previous = unsafe block.previous
    if unsafe previous == nil || next == nil {
      let index = unsafe index(of: block.due)
      // SAFETY: the neighbours are linked, hence alive, and the index is within the slots.
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
      // SAFETY: the neighbours are linked, hence alive.
      unsafe previous._withUnsafeGuaranteedRef { unsafe $0.next = next }
      unsafe next._withUnsafeGuaranteedRef { unsafe $0.previous = previous }
    }
    unsafe block.next = nil
    unsafe block.previous = nil
    unsafe block.isLinked = false
    count -= 1
  }

  /// Takes out the block that is due first, if it is due at or before a time.
  ///
  /// - Returns: The block, with the wheel's reference, which passes to the caller.
  mutating func removeFirst(dueAt now: UInt64) -> Link? {
    while let index = firstIndex {
      // SAFETY: the index is within the slots.
      let earliest = unsafe slots[index].earliest
      // A block that is due at `never` stays, also when that time has come.
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

  /// The index of the slot whose blocks are due first.
  private var firstIndex: Int? {
    guard occupiedLevels != 0 else { return nil }
    let level = occupiedLevels.trailingZeroBitCount
    return level * 64 + occupied[level].trailingZeroBitCount
  }

  /// The index of the slot for a time that is not before the wheel's.
  private func index(of due: UInt64) -> Int {
    let highestBit = 63 - ((due ^ time) | 1).leadingZeroBitCount
    let level = highestBit / 6
    return level * 64 + Int((due >> UInt64(level * 6)) & 63)
  }

  /// Appends a block to the slot of its time.
  private mutating func append(_ link: Link) {
    // SAFETY: the wheel has a reference to the block; the slot's last block is linked, hence alive;
    // the index is within the slots.
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

  /// Distributes the blocks of a slot that `time` has entered to lower levels.
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

  /// Sorts the blocks of a slot by their places.
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
      // SAFETY: clearing the slot has released no block: all are alive.
      unsafe links[position]._withUnsafeGuaranteedRef { block in
        unsafe block.next = nil
        unsafe block.previous = nil
      }
      unsafe append(links[position])
    }
  }

  /// Clears a slot.
  private mutating func empty(_ index: Int) {
    // SAFETY: the index is within the slots.
    unsafe slots[index].first = nil
    unsafe slots[index].last = nil
    unsafe slots[index].isUnsorted = false
    let level = index / 64
    occupied[level] &= ~(1 << UInt64(index % 64))
    if occupied[level] == 0 { occupiedLevels &= ~(1 << UInt16(level)) }
  }
}
