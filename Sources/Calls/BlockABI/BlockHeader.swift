private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral

/// The header of a block, which the user of this value keeps alive.
@safe
package struct BlockHeader: Sendable {
  // SAFETY: the address is immutable. It is valid while the block lives, for which the code that
  // made the header is responsible; the header is written by functions of this type only.
  nonisolated(unsafe) private let pointer: UnsafeRawPointer
  private let isGlobal: Bool

  init(_ block: Block) {
    unsafe pointer = unsafe block.reference.pointer
    isGlobal = block.kind == .global
  }

  /// The library that holds a global block, retained; nil for other blocks, and for those of the
  /// program.
  ///
  /// A heap block needs only its code, which its callers keep loaded.
  package var image: LoadedImage? { isGlobal ? unsafe LoadedImage(holding: pointer) : nil }

  /// The address of the code that runs when the block is called now.
  package var invokeAddress: UnsafeRawPointer {
    unsafe cbr_block_invoke(pointer)
  }

  /// The block, retained; it must be alive.
  package var block: Block { unsafe Block(unsafePointer: pointer) }

  /// Retains a heap block, which must be alive.
  ///
  /// ## Safety
  /// The caller must call `release` once for each call of this function.
  @unsafe
  package func retain() { if isCounted { _ = unsafe _Block_copy(pointer) } }

  /// Releases what `retain` retained.
  @unsafe
  package func release() { if isCounted { unsafe _Block_release(pointer) } }

  /// Whether references to the block are counted; a global block, which may have been unloaded, is
  /// not accessed.
  private var isCounted: Bool {
    unsafe !isGlobal && cbr_block_flags(pointer) & UInt32(CBR_BLOCK_NEEDS_FREE) != 0
  }

  /// Replaces the code that runs when the block is called, unless another thread has replaced it.
  ///
  /// - Parameters:
  ///   - invoke: The address of the code.
  ///   - seen: The code that is replaced, if the block still enters it.
  /// - Returns: Whether the code was replaced.
  /// - Throws: `protectedMemory` for a global block whose page cannot be made writable.
  ///
  /// ## Safety
  /// The block must be alive. `invoke` must be code of the block's signature that stays valid while
  /// the block lives: callers keep copies of the pointer.
  @unsafe
  package func setInvokeAddress(
    _ invoke: UnsafeRawPointer, replacing seen: UnsafeRawPointer
  ) throws(BlockError) -> Bool {
    unsafe try write { pointer in unsafe cbr_block_change_invoke(pointer, seen, invoke) }
  }

  /// Stores the entry of the block's calls in its descriptor, where the code that all hooked blocks
  /// share reads it.
  ///
  /// ## Safety
  /// The block must be alive and have an attachment; the entry must live as long as the attachment.
  @unsafe
  package func setEntry(_ entry: UnsafeRawPointer) {
    unsafe cbr_attachment_set_entry(pointer, entry)
  }

  /// Replaces the block's descriptor by that of an attachment.
  ///
  /// - Returns: False if the descriptor has changed since the attachment was made.
  @unsafe
  func install(_ attachment: UnsafeMutableRawPointer) throws(BlockError) -> Bool {
    unsafe try write { pointer in unsafe cbr_attachment_install(pointer, attachment) }
  }

  /// Writes to the header; the page of a global block is made writable meanwhile.
  private func write(_ write: (UnsafeRawPointer) -> Bool) throws(BlockError) -> Bool {
    guard isGlobal else { return unsafe write(pointer) }
    let size = unsafe MemoryLayout<cbr_block>.size
    var isWritten = false
    // SAFETY: a global block's image stays loaded while the block is in use.
    unsafe try ProtectedMemory.write(at: pointer, count: size) {
      isWritten = unsafe write(pointer)
    }
    return isWritten
  }
}

extension Block {
  /// The block's header, valid while the block lives.
  package var header: BlockHeader { BlockHeader(self) }
}
