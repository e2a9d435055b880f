package import BlockABI
private import Synchronization

/// What becomes of a block while calls of it are running.
///
/// Who calls a block keeps it; but a handler may give up the last reference to it, and the call goes
/// on. Then the call goes on with a copy of the block.
@safe
package final class BlockLife: Sendable {
  private let copy = Mutex<Block?>(nil)
  private let copyAddress = Atomic<UInt>(0)

  package init() {}

  /// Keeps a copy of a block that dies, as long as calls may need it.
  package func end(with copy: Block) {
    self.copy.withLock { $0 = copy }
    unsafe copyAddress.store(
      copy.withUnsafePointer { UInt(bitPattern: $0) }, ordering: .releasing)
  }

  /// The address of the copy, once the block is dead.
  @inline(__always)
  var address: UInt { copyAddress.load(ordering: .acquiring) }
}

extension CallFrame {
  /// Gives the call the copy of its block.
  @inline(never)
  mutating func setBlock(_ address: UInt) {
    // SAFETY: argument 0 is the block.
    unsafe (image + Int(plan.pointee.places[0].offset)).storeBytes(of: address, as: UInt.self)
  }
}
