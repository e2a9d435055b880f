internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// The blocks that one request hooked one by one, while they live.
final class HookedBlocks: Sendable {
  private struct Installation: Sendable {
    let hooks: [Hook]
    let creation: BlockCreation?
  }

  private let installations = GatedLock<[UInt: Installation]>([:])
  private let recordsCreation: Bool

  private let ending: EndingHooks

  init(recordsCreation: Bool, ending: EndingHooks) {
    self.recordsCreation = recordsCreation
    self.ending = ending
  }

  /// Hooks a block, unless this has hooked it already.
  ///
  /// - Returns: Whether this call hooked it.
  /// - Throws: As `Block.install`.
  func hook(_ block: Block, _ definition: HookDefinition) throws(HookError) -> Bool {
    let address = Self.address(of: block)
    let isKnown = installations.withLock { installations in
      if installations[address] != nil { return true }
      installations[address] = Installation(hooks: [], creation: nil)
      return false
    }
    if isKnown { return false }
    var hooks: [Hook] = []
    do throws(HookError) {
      if definition.positions.contains(.instead) {
        // Blocks that the original code makes are to be hooked too.
        var innermost = HookDefinition(name: definition.name, priority: .min) { call in
          let memory = unsafe call.memory.address
          unsafe try ReentrancyGuard.runningOriginal(of: memory) { try call.proceed() }
        }
        innermost.everyBlock = .first
        hooks.append(try block.install(innermost))
      }
      hooks.append(try block.install(noticingDeath(definition, address)))
    } catch {
      for hook in hooks { hook.remove() }
      installations.withLock { $0[address] = nil }
      throw error
    }
    let creation = recordsCreation ? BlockCreation() : nil
    let installation = Installation(hooks: hooks, creation: creation)
    installations.withLock { if $0[address] != nil { $0[address] = installation } }
    return true
  }

  private func noticingDeath(_ definition: HookDefinition, _ address: UInt) -> HookDefinition {
    var noticing = definition
    let (handler, wantsDeath) = (definition.handler, definition.positions.contains(.death))
    noticing.positions.insert(.death)
    noticing.handler = { [weak self] call in
      guard call.position == .death else {
        let (memory, isInstead) = unsafe (call.memory.address, call.isInstead)
        return unsafe try ReentrancyGuard.handling(memory, isInstead: isInstead) {
          try handler(&call)
        }
      }
      defer { self?.forget(address) }
      if wantsDeath { try ReentrancyGuard.ignoringThread { try handler(&call) } }
    }
    return noticing
  }

  private func forget(_ address: UInt) {
    let installation = installations.withLock { $0.removeValue(forKey: address) }
    withExtendedLifetime(installation) {}
  }

  /// Whether a block is hooked.
  func contains(_ block: Block) -> Bool {
    installations.withLock { $0[Self.address(of: block)] != nil }
  }

  /// Where a living block was made; nil if that was not recorded.
  func creation(of block: Block) -> BlockCreation? {
    installations.withLock { $0[Self.address(of: block)]?.creation }
  }

  /// Removes all hooks.
  func removeAll() {
    for hook in installations.exchange([:]).values.flatMap(\.hooks) { ending.remove(hook) }
  }

  private static func address(of block: Block) -> UInt {
    // SAFETY: the address is only compared.
    unsafe block.withUnsafePointer { UInt(bitPattern: $0) }
  }
}
