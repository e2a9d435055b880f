/// Slots by the hash of what is in them.
///
/// It hashes and compares nothing itself, as that may run code of the user's: whoever looks for a slot
/// compares what is in those with the hash.
struct SlotIndex {
  /// The place of a slot in a chain.
  private struct Link {
    var hash = 0
    /// Negative where the chain ends.
    var next = -1
  }

  /// The first slots of the chains: a power of two, or none; negative where a chain is empty.
  private var heads: ContiguousArray<Int> = []

  /// By slot.
  private var links: ContiguousArray<Link> = []

  private(set) var count = 0

  /// One of the slots with a hash.
  func first(_ hash: Int) -> Int? {
    heads.isEmpty ? nil : slot(hash, from: heads[chain(of: hash)])
  }

  /// Another slot with the hash of one.
  func next(after found: Int) -> Int? { slot(links[found].hash, from: links[found].next) }

  /// Adds a slot, which is not in here.
  mutating func insert(_ slot: Int, _ hash: Int) {
    if count == heads.count { grow() }
    if slot >= links.count {
      links.append(contentsOf: repeatElement(Link(), count: slot + 1 - links.count))
    }
    links[slot].hash = hash
    link(slot)
    count += 1
  }

  /// Removes a slot, which is in here.
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
