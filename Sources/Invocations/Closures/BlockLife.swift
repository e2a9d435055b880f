package import BlockABI
private import BlockRuntimeThreads

/// What becomes of a block while calls of it are running.
///
/// Who calls a block keeps it; but a handler may give up the last reference to it, and the call goes
/// on. Then the call goes on with a copy of the block.
@safe
package final class BlockLife: Sendable {
  private let copy = Locked<Block?>(nil)

  /// The receivers of the block's calls.
  let receivers = ReceiverAddresses()

  // SAFETY: the word is written once, when nobody begins calls any more; it lives as long as this.
  nonisolated(unsafe) private let address: UnsafeMutablePointer<UInt>

  package init() {
    unsafe address = .allocate(capacity: 1)
    unsafe address.initialize(to: 0)
  }

  deinit { unsafe address.deallocate() }

  /// Whether calls of the block are running: on this thread, or by receivers that none can enter any
  /// more.
  package var hasCalls: Bool {
    var found = HazardPointers.Found()
    unsafe receivers.forEach { unsafe found += HazardPointers.findProtecting($0) }
    return !found.isEmpty
  }

  /// Keeps a copy of a block that dies, as long as calls may need it.
  package func end(with copy: Block) {
    self.copy.withLock { $0 = copy }
    unsafe address.pointee = copy.withUnsafePointer { UInt(bitPattern: $0) }
  }

  /// Where the address of the copy is, once the block is dead; until then it is 0.
  var copyAddress: UnsafePointer<UInt> { unsafe UnsafePointer(address) }
}
