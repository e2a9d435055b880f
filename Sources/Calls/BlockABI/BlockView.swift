private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral

/// A block that its user keeps alive, for code that examines very many blocks: nothing is retained
/// or allocated.
@unsafe
package struct BlockView {
  // SAFETY: the creator of a view keeps the block alive while the view is used.

  private let pointer: UnsafeRawPointer

  /// Refers to a block.
  ///
  /// ## Safety
  /// There must be a block at the address while the view is used.
  package init(_ pointer: UnsafeRawPointer) { unsafe self.pointer = unsafe pointer }

  /// The block's address.
  package var address: UInt { unsafe UInt(bitPattern: pointer) }

  /// The block, retained.
  package var block: Block { unsafe Block(unsafePointer: pointer) }

  /// The address of the code that the block enters now.
  package var invoke: UnsafeRawPointer { unsafe cbr_block_invoke(pointer) }

  /// The code that the block entered before it got hooks of its own; without hooks, the code that
  /// it enters now.
  package var replacedCode: UnsafeRawPointer { unsafe cbr_attachment_original_invoke(pointer) }

  /// The block's captures.
  ///
  /// The captures of a block that enters through a thunk are the code and the context of the
  /// closure that the thunk calls; see `Block.closures(behindThunk:)`.
  package var captures: UnsafeRawPointer { unsafe pointer + Block.thunkedCodeOffset }

  /// The captures in the context of a closure that a thunk calls; nil without a context.
  package static func captures(inContext context: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe context.map { unsafe $0 + Block.contextHeader }
  }

  /// Whether the block is on a stack.
  package var isOnStack: Bool {
    unsafe Block.Flags(rawValue: cbr_block_flags(pointer)).kind == .stack
  }

  /// Whether the block is a constant of its image, or a copy of one.
  package var isGlobal: Bool {
    unsafe cbr_block_flags(pointer) & UInt32(CBR_BLOCK_IS_GLOBAL) != 0
  }

  /// Whether an object is attached to the block.
  package var hasAttachment: Bool { unsafe cbr_attachment_context(pointer) != nil }

  /// Whether `dispatch_block_create` made the block: libdispatch recognises such blocks by their
  /// code.
  package var isMadeByDispatch: Bool { unsafe invoke == cbr_dispatch_block_invoke() }

  /// The block's type encoding, valid while the block lives; nil without one.
  package var encoding: UnsafePointer<CChar>? { unsafe cbr_block_signature(pointer) }

  /// Replaces the code that the block enters, unless another thread has replaced it.
  ///
  /// - Parameters:
  ///   - invoke: The address of the code.
  ///   - seen: The code that is replaced, if the block still enters it.
  /// - Returns: Whether the code was replaced.
  /// - Throws: `protectedMemory` for a global block whose page cannot be made writable.
  ///
  /// ## Safety
  /// `invoke` must be code of the block's signature that stays valid while the block lives.
  package func setInvoke(
    _ invoke: UnsafeRawPointer, replacing seen: UnsafeRawPointer
  ) throws(BlockError) -> Bool {
    guard unsafe isGlobal && !isOnStack else {
      return unsafe changeInvoke(invoke, replacing: seen)
    }
    return unsafe try block.header.setInvokeAddress(invoke, replacing: seen)
  }

  /// Replaces the code that a block in writable memory enters, unless another thread has replaced
  /// it.
  ///
  /// - Parameters:
  ///   - invoke: The address of the code.
  ///   - seen: The code that is replaced, if the block still enters it.
  /// - Returns: Whether the code was replaced.
  ///
  /// ## Safety
  /// The rules of `setInvoke(_:replacing:)` hold; the block must be on the heap or on a stack.
  package func changeInvoke(
    _ invoke: UnsafeRawPointer, replacing seen: UnsafeRawPointer
  ) -> Bool {
    unsafe cbr_block_change_invoke(pointer, seen, invoke)
  }
}
