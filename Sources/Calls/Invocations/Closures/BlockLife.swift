package import BlockABI
private import BlockRuntimeThreads

/// A hooked block's state for calls that outlive the block.
///
/// A caller retains the block that it calls; but a handler may release the last reference during
/// the call. The call then continues with a copy of the block.
@safe
package final class BlockLife: Sendable {
  private let copy = GatedLock<Block?>(nil)

  /// The receivers of the block's calls.
  let receivers = ReceiverAddresses()

  // SAFETY: the word is written once, at the block's death, when no call can begin any more. It is
  // freed with this object, which the receivers that read it retain.
  nonisolated(unsafe) private let address: UnsafeMutablePointer<UInt>

  package init() {
    // SAFETY: the word is initialised before anything can read it.
    unsafe address = .allocate(capacity: 1)
    unsafe address.initialize(to: 0)
  }

  // SAFETY: each receiver that reads the word retains this object.
  deinit { unsafe address.deallocate() }

  /// Whether calls of the block are in progress: on this thread, or on any thread by receivers that
  /// no call can enter any more.
  package var hasCalls: Bool {
    var found = HazardPointers.Found()
    // SAFETY: the addresses are only compared.
    unsafe receivers.forEach { unsafe found += HazardPointers.findProtecting($0) }
    return !found.isEmpty
  }

  /// Retains a copy of a dying block as long as calls may need it, and directs the calls to it.
  package func end(with copy: Block) {
    self.copy.withLock { $0 = copy }
    // SAFETY: the word is valid, and the copy lives as long as this object.
    unsafe address.pointee = copy.withUnsafePointer { UInt(bitPattern: $0) }
  }

  // SAFETY: receivers retain this object while they use the address.
  /// The place of the copy's address, which is 0 while the block lives.
  var copyAddress: UnsafePointer<UInt> { unsafe UnsafePointer(address) }
}

extension BlockLife: ReferenceTable {}
