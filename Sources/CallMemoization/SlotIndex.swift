/// Slots by the hash of their contents.
///
/// The index itself neither hashes nor compares, because that may run client code: callers compare
/// the contents of the slots that have a hash.
struct SlotIndex {
  /// The link of a slot in its chain.
  private struct Link {
    var hash = 0
    /// Negative at the end of the chain.
    var next = -1
  }

  /// The first slots of the chains, whose number is a power of two or zero; negative for an empty
  /// chain.
  private var heads: ContiguousArray<Int> = []

  /// The links, by slot.
  private var links: ContiguousArray<Link> = []

  private(set) var count = 0

  /// One of the slots with a hash.
  func first(_ hash: Int) -> Int? {
    heads.isEmpty ? nil : slot(hash, from: heads[chain(of: hash)])
  }

  /// Another slot with the same hash.
  func next(after found: Int) -> Int? { slot(links[found].hash, from: links[found].next) }

  /// Adds a slot that is not in the index.
  mutating func insert(_ slot: Int, _ hash: Int) {
    if count == heads.count { grow() }
    if slot >= links.count {
      links.append(contentsOf: repeatElement(Link(), count: slot + 1 - links.count))
    }
    links[slot].hash = hash
    link(slot)
    count += 1
  }

  /// Removes a slot that is in the index.
  mutating func remove(_ slot: Int) {
    let chain = chain(of: links[slot].hash)
    if heads[chain] == slot {
      heads[chain] = links[slot].next
    } else {
      var previous = heads[chain]
      while links[previous].next != slot { previous = links[previous].next }
      links[previous].next = links[slot].next
    }
    count -= 1
  }

  private func chain(of hash: Int) -> Int { hash & (heads.count - 1) }

  private func slot(_ hash: Int, from start: Int) -> Int? {
    var slot = start
    while slot >= 0 {
      if links[slot].hash == hash { return slot }
      slot = links[slot].next
    }
    return nil
  }

  private mutating func link(_ slot: Int) {
    let chain = chain(of: links[slot].hash)
    links[slot].next = heads[chain]
    heads[chain] = slot
  }

  private mutating func grow() {
    let old = heads
    heads = ContiguousArray(repeating: -1, count: max(8, 2 * old.count))
    for var slot in old {
      while slot >= 0 {
        let next = links[slot].next
        link(slot)
        slot = next
      }
    }
  }
}
