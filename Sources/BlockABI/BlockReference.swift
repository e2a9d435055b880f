private import CBlockRuntime.BlockLiteral

/// One counted reference to a block.
@safe
package final class BlockReference: Sendable {
  /// The block's address, valid while the reference lives.
  // SAFETY: the address is immutable.
  nonisolated(unsafe) package let pointer: UnsafeRawPointer

  private let isOwned: Bool

  /// Retains a global or heap block; a stack block is only pointed at.
  @unsafe
  init(retaining pointer: UnsafeRawPointer) {
    // SAFETY: the caller vouches for the address.
    let flags = unsafe cbr_block_flags(pointer)
    isOwned = flags & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
    if isOwned { _ = unsafe _Block_copy(pointer) }
    unsafe self.pointer = unsafe pointer
  }

  /// Takes over a reference that the caller owns.
  @unsafe
  init(adopting pointer: UnsafeRawPointer) {
    unsafe self.pointer = unsafe pointer
    isOwned = true
  }

  deinit {
    // SAFETY: one reference was taken at the start. Releasing a global block does nothing.
    if isOwned { unsafe _Block_release(pointer) }
  }

  /// The address of the block, or of its copy on the heap, with one more reference to it.
  package func retainedPointer() -> UnsafeRawPointer {
    // SAFETY: the block is alive. `_Block_copy` answers NULL only where memory is short, and then
    // the same pointer as an unowned one would be no better.
    unsafe _Block_copy(pointer) ?? pointer
  }
}
