private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral
private import Glibc

/// A block that its user keeps alive, for code that examines very many: nothing is retained or
/// allocated.
@unsafe
package struct BlockView {
  // SAFETY: the creator of a view keeps the block alive while the view is used.

  private let pointer: UnsafeRawPointer

  /// Refers to a block.
  ///
  /// ## Safety
  /// There must be a block at the address while the view is used.
  package init(_ pointer: UnsafeRawPointer) { unsafe self.pointer = unsafe pointer }

  /// The block, retained.
  package var block: Block { unsafe Block(unsafePointer: pointer) }

  /// The address of the code that the block enters now.
  package var invoke: UnsafeRawPointer { unsafe cbr_block_invoke(pointer) }

  /// The code that the block entered before it got hooks of its own; without hooks, the code that
  /// it enters now.
  package var replacedCode: UnsafeRawPointer { unsafe cbr_attachment_original_invoke(pointer) }

  /// The code behind all thunks that the block enters, which is that of the closure in the source.
  ///
  /// - Parameter isThunk: Whether code is a thunk that `Block.closures(behindThunk:)` follows; nil
  ///   if unknown.
  /// - Returns: The code; nil if `isThunk` returned nil on the way.
  package func code(following isThunk: (UInt) -> Bool?) -> UInt? {
    var code = unsafe UInt(bitPattern: replacedCode)
    var captures: UnsafeRawPointer? = unsafe pointer + Block.thunkedCodeOffset
    while let isThunk = isThunk(code) {
      guard isThunk, let place = unsafe captures else { return code }
      code = unsafe place.load(as: UInt.self)
      let context = unsafe place.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
      unsafe captures = unsafe context.map { unsafe $0 + Block.contextHeader }
    }
    return nil
  }

  /// Whether the block is on a stack.
  package var isOnStack: Bool {
    let flags = unsafe cbr_block_flags(pointer)
    let kinds = UInt32(CBR_BLOCK_NEEDS_FREE) | UInt32(CBR_BLOCK_IS_GLOBAL)
    return flags & UInt32(CBR_BLOCK_IS_NOESCAPE) != 0 || flags & kinds == 0
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

  /// Whether the block's type encoding equals a text; nil stands for none.
  package func hasEncoding(_ text: String?) -> Bool {
    let encoding = unsafe cbr_block_signature(pointer)
    guard var text, let encoding = unsafe encoding else {
      return unsafe text == nil && encoding == nil
    }
    // A conversion of the text to a C string would allocate.
    return text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return unsafe encoding.pointee == 0 }
      let characters = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
      return unsafe strncmp(encoding, characters, bytes.count) == 0 && encoding[bytes.count] == 0
    }
  }

  /// Replaces the code that the block enters, unless another thread has replaced it.
  ///
  /// - Parameters:
  ///   - invoke: The address of the code.
  ///   - seen: The value that it replaces, if that is still there.
  /// - Returns: Whether the value was still there.
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
  ///   - seen: The value that it replaces, if that is still there.
  /// - Returns: Whether the value was still there.
  ///
  /// ## Safety
  /// As `setInvoke(_:replacing:)`; the block must be on the heap or on a stack.
  package func changeInvoke(
    _ invoke: UnsafeRawPointer, replacing seen: UnsafeRawPointer
  ) -> Bool {
    unsafe cbr_block_change_invoke(pointer, seen, invoke)
  }
}
