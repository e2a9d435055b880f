private import CBlockRuntime.BlockLiteral

extension Block {
  /// The function that the block was compiled to, whatever hooks are installed.
  ///
  /// A block made from a Swift closure enters a thunk first; the closure behind it is named. Nil
  /// where no image holds the code, as for a block made at run time.
  public var implementation: CodeSymbol? {
    // SAFETY: the reference keeps the block alive.
    guard let invoke = unsafe originalCode,
      let symbol = unsafe CodeSymbol(at: invoke)
    else { return nil }
    guard symbol.isReabstractionThunk, let closure = thunkedClosure else { return symbol }
    return closure
  }

  /// The closure that a thunk calls: the first word that a block made by Swift captures.
  private var thunkedClosure: CodeSymbol? {
    let closureSize = unsafe 2 * MemoryLayout<UnsafeRawPointer>.size
    let header = unsafe MemoryLayout<cbr_block>.size
    guard size >= header + closureSize else { return nil }
    // SAFETY: the block is large enough; the word is only compared with the loaded images.
    let code = unsafe reference.pointer.load(fromByteOffset: header, as: UnsafeRawPointer?.self)
    guard let code = unsafe code, let symbol = unsafe CodeSymbol(at: code),
      symbol.mangledName != nil
    else { return nil }
    return symbol
  }
}
