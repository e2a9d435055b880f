private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral
private import Glibc

// SAFETY, for the whole file: whoever made the view keeps the block.

/// A block that somebody else keeps, for those who see very many: nothing is retained or allocated.
@unsafe
package struct BlockView {
  private let pointer: UnsafeRawPointer

  /// Looks at a block.
  ///
  /// ## Safety
  /// There must be a block at the address while the view is used.
  package init(_ pointer: UnsafeRawPointer) { unsafe self.pointer = unsafe pointer }

  /// The block, retained.
  package var block: Block { unsafe Block(unsafePointer: pointer) }

  /// The address of the code that it enters now.
  package var invoke: UnsafeRawPointer { unsafe cbr_block_invoke(pointer) }

  /// The code that it entered before it got hooks of its own, or enters now.
  package var replacedCode: UnsafeRawPointer { unsafe cbr_attachment_original_invoke(pointer) }

  /// The code that it leads to in the end: behind thunks, that of the source.
  ///
  /// - Parameter isThunk: Whether code is a thunk, as `Block.closures(behindThunk:)` follows it; nil if
  ///   that is not known.
  /// - Returns: Nil where it is not known of some code on the way.
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

  /// Whether it lies on a stack.
  package var isOnStack: Bool {
    let flags = unsafe cbr_block_flags(pointer)
    let kinds = UInt32(CBR_BLOCK_NEEDS_FREE) | UInt32(CBR_BLOCK_IS_GLOBAL)
    return flags & UInt32(CBR_BLOCK_IS_NOESCAPE) != 0 || flags & kinds == 0
  }

  /// Whether an object is attached to it.
  package var hasAttachment: Bool { unsafe cbr_attachment_context(pointer) != nil }

  /// Whether `dispatch_block_create` made it: libdispatch knows such a block by its code.
  package var isMadeByDispatch: Bool { unsafe invoke == cbr_dispatch_block_invoke() }

  /// Whether its type encoding is a text; nil for none.
  package func hasEncoding(_ text: String?) -> Bool {
    let encoding = unsafe cbr_block_signature(pointer)
    guard var text, let encoding = unsafe encoding else {
      return unsafe text == nil && encoding == nil
    }
    // As a C string the text would be allocated.
    return text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return unsafe encoding.pointee == 0 }
      let characters = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
      return unsafe strncmp(encoding, characters, bytes.count) == 0 && encoding[bytes.count] == 0
    }
  }

  /// Replaces the code that it enters, unless another thread has.
  ///
  /// - Parameters:
  ///   - invoke: The code.
  ///   - seen: The value that it replaces, if that is still there.
  /// - Returns: Whether that was still there.
  /// - Throws: `protectedMemory` for a global block whose page cannot be opened.
  ///
  /// ## Safety
  /// `invoke` must be code of the block's signature, and stay valid while the block lives.
  package func setInvoke(
    _ invoke: UnsafeRawPointer, replacing seen: UnsafeRawPointer
  ) throws(BlockError) -> Bool {
    let isGlobal = unsafe cbr_block_flags(pointer) & UInt32(CBR_BLOCK_IS_GLOBAL) != 0
    guard unsafe isGlobal && !isOnStack else {
      return unsafe cbr_block_change_invoke(pointer, seen, invoke)
    }
    return unsafe try block.header.setInvokeAddress(invoke, replacing: seen)
  }
}
