private import CBlockABI.BlockLiteral
private import Synchronization

/// A reference to a block, counted if the block is on the heap; a block on the stack must outlive
/// the reference.
@safe
package final class BlockReference: Sendable {
  // SAFETY: the properties are immutable or atomic; the block lives as long as the reference, and
  // the runtime counts references atomically. Whoever makes a block decides which threads may call
  // it; the compiler cannot check that.

  /// The block's address, valid while the reference lives.
  nonisolated(unsafe) package let pointer: UnsafeRawPointer

  private let isOwned: Bool

  /// The address of the object that `storeOnce` retained, zero if there is none.
  private let storedAddress = Atomic<UInt>(0)

  /// Retains a global or heap block; a stack block is only referred to.
  @unsafe
  init(retaining pointer: UnsafeRawPointer) {
    // SAFETY: the caller guarantees that the address is that of a block.
    let flags = unsafe cbr_block_flags(pointer)
    isOwned = flags & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
    if isOwned { _ = unsafe _Block_copy(pointer) }
    unsafe self.pointer = unsafe pointer
  }

  /// Adopts a reference that the caller owns; a global block has none.
  @unsafe
  init(adopting pointer: UnsafeRawPointer) {
    unsafe self.pointer = unsafe pointer
    // SAFETY: the caller owns a reference to the block.
    isOwned = unsafe cbr_block_flags(pointer) & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
  }

  deinit {
    // SAFETY: the initialiser took one reference. A global block, which may have been unloaded, is
    // not accessed.
    if isOwned { unsafe _Block_release(pointer) }
    // SAFETY: `storeOnce` retained the object.
    if let stored = unsafe stored { unsafe Unmanaged<AnyObject>.fromOpaque(stored).release() }
  }

  /// Stores an object for as long as the reference lives, unless an object is stored already.
  package func storeOnce(_ object: any AnyObject & Sendable) {
    // SAFETY: the reference that `passRetained` adds is stored, and released by `deinit`, or
    // released here.
    let retained = unsafe Unmanaged<AnyObject>.passRetained(object)
    let isFirst = unsafe storedAddress.compareExchange(
      expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing
    ).exchanged
    if !isFirst { unsafe retained.release() }
  }

  /// The object that `storeOnce` stored, read without a lock and not retained.
  package var stored: UnsafeRawPointer? {
    // SAFETY: the object is released by `deinit` only.
    unsafe UnsafeRawPointer(bitPattern: storedAddress.load(ordering: .acquiring))
  }

  /// Runs `body` with one more reference to the block at an address, if it is a heap block.
  ///
  /// ## Safety
  /// If not nil, the address must be that of a block that is alive.
  @unsafe
  package static func retaining<Result>(
    _ pointer: UnsafeRawPointer?, _ body: () -> Result
  ) -> Result {
    guard let pointer = unsafe pointer,
      unsafe cbr_block_flags(pointer) & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
    else { return body() }
    // SAFETY: the caller guarantees that the block is alive.
    _ = unsafe _Block_copy(pointer)
    defer { unsafe _Block_release(pointer) }
    return body()
  }

  /// Whether the object at an address is a block.
  ///
  /// ## Safety
  /// There must be an object or a block at the address.
  @unsafe
  package static func isBlock(at pointer: UnsafeRawPointer) -> Bool {
    // SAFETY: an object and a block both begin with a pointer.
    let isa = unsafe pointer.load(as: UnsafeRawPointer?.self)
    return unsafe isa == cbr_malloc_block_class() || isa == cbr_global_block_class()
      || isa == cbr_stack_block_class()
  }

  /// The address of the block, or of its copy on the heap, with one more reference to it.
  func retainedPointer() -> UnsafeRawPointer {
    // SAFETY: the block is alive. `_Block_copy` returns NULL only for a stack block when memory is
    // short; the result is then the block itself, which the caller must not use longer.
    unsafe _Block_copy(pointer) ?? pointer
  }
}
