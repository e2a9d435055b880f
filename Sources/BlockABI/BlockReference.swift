private import CBlockABI.BlockLiteral
private import Synchronization

/// One counted reference to a block.
@safe
package final class BlockReference: Sendable {
  /// The block's address, valid while the reference lives.
  // SAFETY: the address is immutable.
  nonisolated(unsafe) package let pointer: UnsafeRawPointer

  private let isOwned: Bool

  /// The address of the object that is kept, zero where there is none.
  private let keptObject = Atomic<UInt>(0)

  /// Retains a global or heap block; a stack block is only pointed at.
  @unsafe
  init(retaining pointer: UnsafeRawPointer) {
    // SAFETY: the caller vouches for the address.
    let flags = unsafe cbr_block_flags(pointer)
    isOwned = flags & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
    if isOwned { _ = unsafe _Block_copy(pointer) }
    unsafe self.pointer = unsafe pointer
  }

  /// Takes over a reference that the caller owns; a global block has none.
  @unsafe
  init(adopting pointer: UnsafeRawPointer) {
    unsafe self.pointer = unsafe pointer
    isOwned = unsafe cbr_block_flags(pointer) & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
  }

  deinit {
    // SAFETY: one reference was taken at the start. A global block may have been unloaded.
    if isOwned { unsafe _Block_release(pointer) }
    // SAFETY: the first object kept was retained.
    if let kept = unsafe kept { unsafe Unmanaged<AnyObject>.fromOpaque(kept).release() }
  }

  /// Keeps an object for as long as the reference lives, unless it keeps one already.
  package func keep(_ object: any AnyObject & Sendable) {
    let kept = unsafe Unmanaged<AnyObject>.passRetained(object)
    let isFirst = unsafe keptObject.compareExchange(
      expected: 0, desired: UInt(bitPattern: kept.toOpaque()), ordering: .acquiringAndReleasing
    ).exchanged
    // SAFETY: it was retained above.
    if !isFirst { unsafe kept.release() }
  }

  /// The object that is kept, found without a lock and not retained.
  package var kept: UnsafeRawPointer? {
    unsafe UnsafeRawPointer(bitPattern: keptObject.load(ordering: .acquiring))
  }

  /// Runs `body` with one more reference to the block at an address, unless it needs none.
  ///
  /// ## Safety
  /// There must be a block, alive when this is called.
  @unsafe
  package static func retaining<Result>(
    _ pointer: UnsafeRawPointer?, _ body: () -> Result
  ) -> Result {
    guard let pointer = unsafe pointer,
      unsafe cbr_block_flags(pointer) & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
    else { return body() }
    // SAFETY: the caller vouches for the block.
    _ = unsafe _Block_copy(pointer)
    defer { unsafe _Block_release(pointer) }
    return body()
  }

  /// Whether there is a block at an address where some object is.
  ///
  /// ## Safety
  /// There must be an object or a block.
  @unsafe
  package static func isBlock(at pointer: UnsafeRawPointer) -> Bool {
    let isa = unsafe pointer.load(as: UnsafeRawPointer?.self)
    return unsafe isa == cbr_malloc_block_class() || isa == cbr_global_block_class()
      || isa == cbr_stack_block_class()
  }

  /// The address of the block, or of its copy on the heap, with one more reference to it.
  func retainedPointer() -> UnsafeRawPointer {
    // SAFETY: the block is alive. `_Block_copy` answers NULL only where memory is short, and then
    // the same pointer as an unowned one would be no better.
    unsafe _Block_copy(pointer) ?? pointer
  }
}
