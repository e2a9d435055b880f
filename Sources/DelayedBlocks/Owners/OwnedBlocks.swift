internal import ObjectLifetimes
private import Synchronization

/// The blocks that wait for an object: associated with it, so that they end with it.
final class OwnedBlocks: Sendable {
  private struct Entry {
    let name: String?
    let block: DelayedBlock
  }

  private static let key = AssociationKey<OwnedBlocks>("delayed blocks")

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  deinit {
    for block in blocks(where: { _ in true }) { block.cancel() }
  }

  /// Notes a block that is to end with an object; cancels it if the object is dying.
  ///
  /// The rare objects whose end cannot be seen have no list: their blocks look for them when they are due.
  static func note(_ block: DelayedBlock, of owner: AnyObject, name: String?) {
    do throws(LifetimeError) {
      let blocks = try key.value(of: owner, default: OwnedBlocks())
      blocks.entries.withLock { $0[ObjectIdentifier(block)] = Entry(name: name, block: block) }
      block.whenEnded { [weak blocks, identity = ObjectIdentifier(block)] _ in
        // The block is freed under no lock.
        _ = blocks?.entries.withLock { $0.removeValue(forKey: identity) }
      }
    } catch {
      if error.code == .objectIsDying { block.cancel() }
    }
  }

  /// Cancels an object's blocks of a name, or all.
  ///
  /// - Returns: How many it prevented from running.
  static func cancel(of owner: AnyObject, where isMeant: (String?) -> Bool) -> Int {
    let blocks = key.value(of: owner)?.blocks(where: isMeant) ?? []
    return blocks.count { $0.cancel() }
  }

  /// How many of an object's blocks have not ended.
  static func count(of owner: AnyObject) -> Int {
    key.value(of: owner)?.entries.withLock { $0.count } ?? 0
  }

  private func blocks(where isMeant: (String?) -> Bool) -> [DelayedBlock] {
    entries.withLock { $0.values.filter { isMeant($0.name) }.map(\.block) }
  }
}
