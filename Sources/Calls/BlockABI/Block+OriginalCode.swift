private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral
private import CLoadedImages.ReadableMemory
@_exported public import CodeSymbols

extension Block {
  // SAFETY: the reference keeps the block alive; the addresses of code are only looked up.

  /// The code that the compiler made for the block, whatever hooks there are.
  package var compiledCode: UnsafeRawPointer? {
    unsafe replacedCode.map {
      unsafe StandInCode.original(of: $0)
    }
  }

  /// The function that the block was compiled to, whatever hooks are installed.
  ///
  /// A block made from a Swift closure enters a thunk; the result is then the closure behind the
  /// thunk. Nil if no image holds the code, as for a block made at run time.
  ///
  /// - Complexity: Symbols are searched each time, if necessary in the image's file.
  public var implementation: CodeSymbol? {
    guard let invoke = unsafe compiledCode else { return nil }
    // SAFETY: the addresses are only looked up.
    return unsafe CodeSymbol(at: code(behindThunk: invoke) ?? invoke)
  }

  /// The code that the block's first own hook replaced, or its present code if it has none.
  ///
  /// A hook of every block may have put it there.
  package var replacedCode: UnsafeRawPointer? {
    unsafe cbr_attachment_original_invoke(reference.pointer)
  }

  /// The closure behind a Swift block's thunks, nil if the code is not a thunk.
  package func code(behindThunk code: UnsafeRawPointer) -> UnsafeRawPointer? {
    unsafe closures(behindThunk: code).last
  }

  /// The closures that a Swift block's thunk leads to; the last one is the closure of the source.
  ///
  /// All Swift blocks of one type share one thunk, which finds the closure's code and context in
  /// the block's captures. That closure may be a second thunk, which finds a closure of another
  /// convention in its context.
  ///
  /// - Parameter code: The code that the block enters.
  /// - Returns: The closures' code; empty if the block's code is not a thunk.
  package func closures(behindThunk code: UnsafeRawPointer) -> [UnsafeRawPointer] {
    guard let symbol = unsafe CodeSymbol(at: code), symbol.isReabstractionThunk,
      size >= Block.thunkedCodeOffset + 2 * MemoryLayout<UInt>.size
    else { return unsafe [] }
    var found: [UnsafeRawPointer] = unsafe []
    // SAFETY: the block is large enough for a closure, which is code and context; contexts are
    // checked to be readable before their captures are read.
    var captures: UnsafeRawPointer? = unsafe reference.pointer + Block.thunkedCodeOffset
    while let place = unsafe captures, unsafe found.count < Self.thunkLimit {
      guard let closure = unsafe place.load(as: UnsafeRawPointer?.self),
        let symbol = unsafe CodeSymbol(at: closure), symbol.mangledName != nil
      else { break }
      unsafe found.append(closure)
      guard symbol.isReabstractionThunk,
        let context = unsafe place.load(fromByteOffset: 8, as: UnsafeRawPointer?.self),
        unsafe cbr_is_readable(context + Self.contextHeader),
        unsafe cbr_is_readable(context + Self.contextHeader + 8)
      else { break }
      unsafe captures = unsafe context + Self.contextHeader
    }
    return unsafe found
  }

  /// The most thunks that are followed: Swift nests at most two, and the limit ends the search in
  /// any memory.
  private static let thunkLimit = 4

  /// The size of the object header that precedes a closure's captures in its context.
  static let contextHeader = 16

  /// The offset, in a Swift block that enters through a thunk, of the captured closure: the address
  /// of its code, then its context.
  package static var thunkedCodeOffset: Int { unsafe MemoryLayout<cbr_block>.size }
}
