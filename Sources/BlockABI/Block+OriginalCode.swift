private import CBlockABI.BlockAttachment
private import CBlockABI.BlockLiteral
private import CLoadedImages.ReadableMemory

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

  /// The closure behind a Swift block's thunks, nil where the code is no thunk.
  package func code(behindThunk code: UnsafeRawPointer) -> UnsafeRawPointer? {
    unsafe closures(behindThunk: code).last
  }

  /// The closures that a Swift block's thunk leads to, the last that of the source.
  ///
  /// All Swift blocks of one type share one thunk; it finds the closure's code and context in the block's
  /// captures. That may be a thunk again, around a closure of another convention, which it finds in its
  /// context.
  ///
  /// - Parameter code: The code that the block enters.
  /// - Returns: Their code; nothing if that is no thunk.
  package func closures(behindThunk code: UnsafeRawPointer) -> [UnsafeRawPointer] {
    guard let symbol = unsafe CodeSymbol(at: code), symbol.isReabstractionThunk,
      size >= Block.thunkedCodeOffset + 2 * MemoryLayout<UInt>.size
    else { return unsafe [] }
    var found: [UnsafeRawPointer] = unsafe []
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

  private static let thunkLimit = 4

  /// What a closure captures comes behind an object's header.
  static let contextHeader = 16

  /// Where a thunk's block holds the code of its closure.
  package static var thunkedCodeOffset: Int { unsafe MemoryLayout<cbr_block>.size }
}
