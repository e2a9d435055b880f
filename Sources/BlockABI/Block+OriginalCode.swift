private import CBlockRuntime.BlockAttachment
private import CBlockRuntime.BlockLiteral

// SAFETY, for the whole file: the reference keeps the block alive.

extension Block {
  /// The code that the block was compiled to, whatever hooks are installed.
  package var originalCode: UnsafeRawPointer? {
    unsafe replacedCode.map {
      unsafe StandInCode.original(of: $0)
    }
  }

  /// The code that the block had before it got hooks of its own.
  package var replacedCode: UnsafeRawPointer? {
    unsafe cbr_attachment_original_invoke(reference.pointer)
  }

  /// The closure behind a Swift block's thunk, nil where the code is no thunk.
  ///
  /// All Swift blocks of one type share one thunk; it finds the closure's code at
  /// `thunkedCodeOffset` in the block.
  package func code(behindThunk code: UnsafeRawPointer) -> UnsafeRawPointer? {
    guard let symbol = unsafe CodeSymbol(at: code), symbol.isReabstractionThunk,
      size >= Block.thunkedCodeOffset + 2 * MemoryLayout<UInt>.size
    else { return nil }
    let closure = unsafe reference.pointer.load(
      fromByteOffset: Block.thunkedCodeOffset, as: UnsafeRawPointer?.self)
    guard let closure = unsafe closure, unsafe CodeSymbol(at: closure)?.mangledName != nil else {
      return nil
    }
    return unsafe closure
  }

  /// Where a thunk's block holds the code of its closure.
  package static var thunkedCodeOffset: Int { unsafe MemoryLayout<cbr_block>.size }
}
