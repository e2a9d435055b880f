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
    let hook: Hook

    /// The number that the hook's handler has; handlers of other hooks leave the item alone.
    let number: Int

    /// What surrounds the next runs, the first sent first.
    var waiting: [EverySubmission.Surrounding]
  }

  private struct State: Sendable {
    /// The items by the addresses of the blocks inside.
    var items: [UInt: Item] = [:]

    /// How many hooks were made for items.
    var hookCount = 0
    var hasEnded = false

    /// Adds what surrounds the next run of an item, unless that has no hook.
    mutating func append(
      _ surrounding: @escaping EverySubmission.Surrounding, to address: UInt
    ) -> Bool {
      // Whoever removes all hooks of a block removes this one, too.
      guard items[address]?.hook.isInstalled == true else { return false }
      items[address]?.waiting.append(surrounding)
      return true
    }
  }

  private let state = GatedLock(State())

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
    let dropped = ForkGate.inside { () -> (surplus: Hook?, old: Item?) in
      let number = state.withLock { state -> Int? in
        if state.append(surrounding, to: address) { return nil }
        state.hookCount += 1
        return state.hookCount
      }
      guard let number, let hook = try? block.install(definition(address, number)) else {
        return (nil, nil)
      }
      return state.withLock { state in
        // Another thread that sends the item may have hooked it meanwhile.
        if state.append(surrounding, to: address) { return (hook, nil) }
        let item = Item(hook: hook, number: number, waiting: [surrounding])
        return (nil, state.items.updateValue(item, forKey: address))
      }
    }
    dropped?.surplus?.remove()
  }

  private func definition(_ address: UInt, _ number: Int) -> HookDefinition {
    HookDefinition([.instead, .death], name: "every submission", priority: .max) { call in
      guard call.position == .instead else {
        self.forget(address)
        return
      }
      guard let surrounding = self.takeNext(address, number) else { return try call.proceed() }
      var failure: (any Error)?
      surrounding {
        do { try call.proceed() } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  /// Takes what surrounds the next run of an item; after the end, with the last the hook is
  /// removed.
  private func takeNext(_ address: UInt, _ number: Int) -> EverySubmission.Surrounding? {
    let taken = ForkGate.inside {
      state.withLock { state -> (EverySubmission.Surrounding, Hook?)? in
        guard var item = state.items[address], item.number == number, !item.waiting.isEmpty else {
          return nil
        }
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

  /// Removes the hooks of items that wait for no run; those of others are removed with the last
  /// run.
  func end() {
    let idle = state.withLock { state in
      state.hasEnded = true
      let idle = state.items.filter { $0.value.waiting.isEmpty }
      for address in idle.keys { state.items[address] = nil }
      return idle
    }
    for item in idle.values { item.hook.remove() }
  }
}
