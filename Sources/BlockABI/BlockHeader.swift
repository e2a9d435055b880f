private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral

// SAFETY, for the whole file: whoever made the header keeps the block alive.

/// The header of a block that somebody else keeps alive.
@safe
package struct BlockHeader: Sendable {
  // SAFETY: the address is immutable; the header is only written through functions of this type.
  nonisolated(unsafe) private let pointer: UnsafeRawPointer
  private let isGlobal: Bool

  init(_ block: Block) {
    unsafe pointer = unsafe block.reference.pointer
    isGlobal = block.kind == .global
  }

  /// The library that a global block lies in, kept loaded; nil for other blocks, and for the program's.
  ///
  /// A heap block needs nothing but its code, which its callers keep.
  package var image: LoadedImage? { isGlobal ? unsafe LoadedImage(holding: pointer) : nil }

  /// The address of the code that runs when the block is called now.
  package var invokeAddress: UnsafeRawPointer {
    unsafe cbr_block_invoke(pointer)
  }

  /// The block, retained; it must be alive.
  package var block: Block { unsafe Block(unsafePointer: pointer) }

  /// Replaces the code that runs when the block is called, unless another thread has.
  ///
  /// - Parameters:
  ///   - invoke: The code.
  ///   - seen: The value that it replaces, if that is still there.
  /// - Returns: Whether that was still there.
  /// - Throws: `protectedMemory` for a global block whose page cannot be opened.
  ///
  /// ## Safety
  /// The block must be alive. `invoke` must be code of the block's signature, and stay valid while
  /// the block lives: callers keep copies of the pointer.
  @unsafe
  package func setInvokeAddress(
    _ invoke: UnsafeRawPointer, replacing seen: UnsafeRawPointer
  ) throws(BlockError) -> Bool {
    unsafe try write { pointer in unsafe cbr_block_change_invoke(pointer, seen, invoke) }
  }

  /// Sets what the block's descriptor leads to, for the code that all hooked blocks share.
  ///
  /// ## Safety
  /// The block must be alive and have an attachment; the entry must live as long as it.
  @unsafe
  package func setEntry(_ entry: UnsafeRawPointer) {
    unsafe cbr_attachment_set_entry(pointer, entry)
  }

  /// Puts an attachment's descriptor in place of the block's.
  ///
  /// - Returns: False if that has changed since the attachment was made.
  @unsafe
  func install(_ attachment: UnsafeMutableRawPointer) throws(BlockError) -> Bool {
    unsafe try write { pointer in unsafe cbr_attachment_install(pointer, attachment) }
  }

  /// Opens the page of a global block around a write to its header.
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
