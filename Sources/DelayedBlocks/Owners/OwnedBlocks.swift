internal import BlockRuntimeThreads
internal import ObjectLifetimes

/// The blocks that wait for an object: associated with it, so that they end with it.
final class OwnedBlocks: Sendable {
  private struct State {
    /// The blocks that have not ended, with the names they have.
    var blocks: [ObjectIdentifier: (block: DelayedBlock, name: String?)] = [:]
    var named: [String: Set<ObjectIdentifier>] = [:]
  }

  private static let key = AssociationKey<OwnedBlocks>("delayed blocks")

  private let state = Locked(State())

  deinit {
    for block in all { block.cancel() }
  }

  /// Notes a block that is to end with an object; cancels it if the object is dying.
  ///
  /// The rare objects whose end cannot be seen have no list: their blocks look for them when they are due.
  static func note(_ block: DelayedBlock, of owner: AnyObject, name: String?) {
    do throws(LifetimeError) {
      let blocks = try key.value(of: owner, default: OwnedBlocks())
      blocks.insert(block, name)
      block.whenEnded { [weak blocks, identity = ObjectIdentifier(block)] _ in
        blocks?.remove(identity)
      }
    } catch {
      if error.code == .objectIsDying { block.cancel() }
    }
  }

  /// Cancels an object's blocks of a name, or all.
  ///
  /// - Returns: How many it prevented from running.
  static func cancel(of owner: AnyObject, name: String?) -> Int {
    guard let list = key.value(of: owner) else { return 0 }
    let blocks = name.map { list.blocks(named: $0) } ?? list.all
    return blocks.count { $0.cancel() }
  }

  /// Cancels an object's blocks whose names begin with a prefix.
  ///
  /// - Returns: How many it prevented from running.
  static func cancel(of owner: AnyObject, namePrefix: String) -> Int {
    guard let list = key.value(of: owner) else { return 0 }
    let blocks = list.state.withLock { state in
      state.blocks.values.filter { $0.name?.hasPrefix(namePrefix) ?? false }.map(\.block)
    }
    return blocks.count { $0.cancel() }
  }

  /// How many of an object's blocks have not ended.
  static func count(of owner: AnyObject) -> Int {
    key.value(of: owner)?.state.withLock { $0.blocks.count } ?? 0
  }

  private var all: [DelayedBlock] { state.withLock { $0.blocks.values.map(\.block) } }

  private func blocks(named name: String) -> [DelayedBlock] {
    state.withLock { state in
      (state.named[name] ?? []).compactMap { state.blocks[$0]?.block }
    }
  }

  private func insert(_ block: DelayedBlock, _ name: String?) {
    let identity = ObjectIdentifier(block)
    state.withLock { state in
      state.blocks[identity] = (block, name)
      if let name { state.named[name, default: []].insert(identity) }
    }
  }

  private func remove(_ identity: ObjectIdentifier) {
    // The block is freed under no lock, and what has grown is given back when nothing is left.
    let old = state.withLock { state in
      let entry = state.blocks.removeValue(forKey: identity)
      if let name = entry?.name {
        state.named[name]?.remove(identity)
        if state.named[name]?.isEmpty ?? false { state.named[name] = nil }
      }
      if state.blocks.isEmpty { state = State() }
      return entry?.block
    }
    withExtendedLifetime(old) {}
  }
}
