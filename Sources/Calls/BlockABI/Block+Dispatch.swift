private import CBlockABI.BlockLiteral

extension Block {
  /// The block inside a block made by `dispatch_block_create`, nil for any other block.
  ///
  /// libdispatch recognises such a block by its invoke pointer, which hooking it would change, so
  /// hooks go to the inner block. The layout is not public ABI: libdispatch's `inline_internal.h`
  /// calls it `dispatch_block_private_data_s`.
  public var dispatchedBlock: Block? {
    let captures = unsafe MemoryLayout<cbr_block>.size
    // The inner block follows a magic number, flags, two numbers of 32 bits, a priority and a
    // voucher.
    let innerBlock = captures + 40
    // SAFETY: the block is alive, and its invoke pointer says that libdispatch laid out the
    // captures.
    guard kind == .heap, size >= innerBlock + 8,
      unsafe invokeAddress == cbr_dispatch_block_invoke(),
      let inner = unsafe reference.pointer.load(
        fromByteOffset: innerBlock, as: UnsafeRawPointer?.self)
    else { return nil }
    return unsafe Block(unsafePointer: inner).withSettings(of: self)
  }
}
