private import CBlockRuntime.BlockLiteral

extension Block {
  /// The block inside a block made by `dispatch_block_create`, nil for any other block.
  ///
  /// libdispatch knows such an object by its invoke pointer, so it is the inner block that is
  /// hooked. Not public ABI: `dispatch_block_private_data_s` in libdispatch's `inline_internal.h`.
  public var dispatchedBlock: Block? {
    let captures = unsafe MemoryLayout<cbr_block>.size
    let innerBlock = captures + 40
    let magic: UInt32 = 0xD159_B10C
    guard kind == .heap, flags.contains(.hasCopyDispose), size >= innerBlock + 8 else { return nil }
    // SAFETY: the block is alive and large enough for both words; the magic number says what they
    // are.
    guard unsafe reference.pointer.load(fromByteOffset: captures, as: UInt.self) == UInt(magic),
      let inner = unsafe reference.pointer.load(
        fromByteOffset: innerBlock, as: UnsafeRawPointer?.self)
    else { return nil }
    return unsafe Block(unsafePointer: inner)
  }
}
