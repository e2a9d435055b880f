internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// What surrounds the blocks inside of those that `dispatch_block_create` made.
///
/// libdispatch recognises such a block, and reads its flags: no other block can take its place. So
/// the block inside gets one hook, which lives as long as that block, and takes what surrounds the
/// next run.
final class SurroundedItems: Sendable {
  private struct Item: Sendable {
    /// The hook; nil while it is being installed.
    var hook: Hook?

    /// What surrounds the next runs, the first sent first.
    var waiting: [EverySubmission.Surrounding]
  }

  private struct State: Sendable {
    /// The items by the addresses of the blocks inside.
    var items: [UInt: Item] = [:]
    var hasEnded = false
  }

  private let state = Locked(State())

  /// Surrounds the next run of an item; leaves an item without a usable signature alone.
  ///
  /// - Parameters:
  ///   - surrounding: What surrounds the run.
  ///   - item: A block that `dispatch_block_create` made.
  func add(_ surrounding: @escaping EverySubmission.Surrounding, to item: Block) {
    guard let block = item.dispatchedBlock else { return }
    // SAFETY: the address is only compared.
    let address = unsafe block.withUnsafePointer { UInt(bitPattern: $0) }
    // What is dropped is released under no lock.
    let dropped = ForkGate.inside { () -> Item? in
      let (isKnown, dropped) = state.withLock { state -> (Bool, Item?) in
        let old = state.items[address]
        // Its hooks may have been removed, by whoever removes all of a block's.
        let isKnown = old.map { $0.hook?.isInstalled ?? true } ?? false
        var item = Item(hook: isKnown ? old?.hook : nil, waiting: isKnown ? old?.waiting ?? [] : [])
        item.waiting.append(surrounding)
        state.items[address] = item
        return (isKnown, isKnown ? nil : old)
      }
      if isKnown { return nil }
      guard let hook = try? block.install(definition(address)) else {
        return state.withLock { $0.items.removeValue(forKey: address) }
      }
      state.withLock { $0.items[address]?.hook = hook }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }

  private func definition(_ address: UInt) -> HookDefinition {
    HookDefinition([.instead, .death], name: "every submission", priority: .max) { call in
      guard call.position == .instead else {
        self.forget(address)
        return
      }
      guard let surrounding = self.takeNext(address) else { return try call.proceed() }
      var failure: (any Error)?
      surrounding {
        do { try call.proceed() } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  /// Takes what surrounds the next run of an item; after the end, with the last the hook is removed.
  private func takeNext(_ address: UInt) -> EverySubmission.Surrounding? {
    let taken = ForkGate.inside {
      state.withLock { state -> (EverySubmission.Surrounding, Hook?)? in
        guard var item = state.items[address], !item.waiting.isEmpty else { return nil }
        let next = item.waiting.removeFirst()
        let isOver = state.hasEnded && item.waiting.isEmpty
        state.items[address] = isOver ? nil : item
        return (next, isOver ? item.hook : nil)
      }
    }
    guard let (next, hook) = taken ?? nil else { return nil }
    hook?.remove()
    return next
  }

  private func forget(_ address: UInt) {
    let item = state.withLock { $0.items.removeValue(forKey: address) }
    withExtendedLifetime(item) {}
  }

  /// Removes the hooks of items that wait for no run; those of others are removed with the last run.
  func end() {
    let idle = state.withLock { state in
      state.hasEnded = true
      let idle = state.items.filter { $0.value.waiting.isEmpty }
      for address in idle.keys { state.items[address] = nil }
      return idle
    }
    for item in idle.values { item.hook?.remove() }
  }
}
