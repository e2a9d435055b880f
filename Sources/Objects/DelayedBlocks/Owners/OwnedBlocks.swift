internal import BlockRuntimeThreads
internal import ObjectLifetimes

/// The blocks that are to run for an object: an associated value of the object, which cancels them
/// when the object is destroyed.
final class OwnedBlocks: Sendable {
  private struct State {
    /// The blocks that have not ended, with their names.
    var blocks: [ObjectIdentifier: (block: DelayedBlock, name: String?)] = [:]
    var named: [String: Set<ObjectIdentifier>] = [:]
  }

  private static let key = AssociationKey<OwnedBlocks>("delayed blocks")

  private let state = Locked(State())

  deinit {
    for block in all { block.cancel() }
  }

  /// Notes a block that is to be cancelled with an object; cancels it now if the object is dying.
  ///
  /// An object whose destruction cannot be hooked has no list: its blocks check when they are due
  /// whether it is still alive.
  ///
  /// `add` schedules the block, unless the object is dying: another thread that takes such a block
  /// would release the object after its end.
  static func note(
    _ block: DelayedBlock, of owner: AnyObject, name: String?, add: () -> Void = {}
  ) {
    do throws(LifetimeError) {
      let blocks = try key.value(of: owner, default: OwnedBlocks())
      add()
      blocks.insert(block, name)
      block.whenEnded { [weak blocks, identity = ObjectIdentifier(block)] _ in
        blocks?.remove(identity)
      }
    } catch {
      if error.code == .objectIsDying { block.cancel() } else { add() }
    }
  }

  /// Cancels an object's blocks with a name, or, if that is nil, all of them.
  ///
  /// - Returns: The number of blocks that this call prevented from running.
  static func cancel(of owner: AnyObject, name: String?) -> Int {
    guard let list = key.value(of: owner) else { return 0 }
    let blocks = name.map { list.blocks(named: $0) } ?? list.all
    return blocks.count { $0.cancel() }
  }

  /// Cancels an object's blocks whose names begin with a prefix.
  ///
  /// - Returns: The number of blocks that this call prevented from running.
  static func cancel(of owner: AnyObject, namePrefix: String) -> Int {
    guard let list = key.value(of: owner) else { return 0 }
    let blocks = list.state.withLock { state in
      state.blocks.values.filter { $0.name?.hasPrefix(namePrefix) ?? false }.map(\.block)
    }
    return blocks.count { $0.cancel() }
  }

  /// The number of an object's blocks that have not ended.
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
    // The block is released while no lock is held; an empty list frees its capacity.
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

// SAFETY: `@unchecked Sendable`: `work` and `keptOwner` are accessed only by the thread that
// changed the state from `pending`; `owner` is immutable.
/// A delayed block that runs for an object, and is cancelled if the object has been destroyed.
final class OwnedBlock<Owner: AnyObject & Sendable>: DelayedBlock, @unchecked Sendable {
  /// The closure; nil once the block has run or was cancelled.
  private var work: (@Sendable (Owner) -> Void)?
  private weak let owner: Owner?
  /// The object, if the block retains it.
  private var keptOwner: Owner?

  init(
    _ work: @escaping @Sendable (Owner) -> Void, owner: Owner, keepsOwner: Bool, at instant: UInt64,
    tolerance: UInt64, target: DelayTarget, timer: DelayTimer
  ) {
    self.work = work
    self.owner = owner
    keptOwner = keepsOwner ? owner : nil
    super.init(nil, at: instant, tolerance: tolerance, target: target, timer: timer)
  }

  override func perform() -> Bool {
    let hasRun = runWork()
    end(hasRun ? .finished : .cancelled)
    return hasRun
  }

  /// Runs the closure, and releases it and the object.
  private func runWork() -> Bool {
    defer { dropBody() }
    guard let owner, let work else { return false }
    work(owner)
    return true
  }

  override func dropBody() {
    work = nil
    keptOwner = nil
  }
}

extension OwnedBlocks: ReferenceTable {
  package var label: String { "delayed blocks" }
  package var contents: Any { all }
}
