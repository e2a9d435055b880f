private import CBlockABI.BlockLiteral
private import Glibc

extension Block {
  /// Makes a heap block around existing code.
  ///
  /// - Parameters:
  ///   - invoke: The code that runs when the block is called.
  ///   - encoding: The block's type encoding.
  ///   - usesStructReturn: Whether the result is returned through a hidden pointer.
  ///   - owner: The object that the block retains.
  /// - Throws: `outOfMemory`.
  ///
  /// ## Safety
  /// `invoke` must be code of that signature that lives as long as `owner`.
  @unsafe
  package init(
    invoke: UnsafeRawPointer, encoding: String, usesStructReturn: Bool, owner: AnyObject
  ) throws(BlockError) {
    let captures = BlockCaptures(owner: owner, descriptor: DescriptorMemory(encoding))
    var flags = UInt32(CBR_BLOCK_HAS_COPY_DISPOSE | CBR_BLOCK_HAS_SIGNATURE)
    if usesStructReturn, Flags.areSetForStructReturn {
      flags |= UInt32(CBR_BLOCK_USES_STRUCT_RETURN)
    }
    var literal = unsafe SynthesisedBlock(
      header: cbr_block(
        isa: cbr_stack_block_class(), flags: flags, reserved: 0, invoke: invoke,
        descriptor: captures.descriptor.address),
      captures: Unmanaged.passUnretained(captures))
    // SAFETY: the literal is a complete stack block whose descriptor lives as long as the captures;
    // copying it retains them.
    let copy = unsafe Swift.withUnsafePointer(to: &literal) { unsafe _Block_copy($0) }
    withExtendedLifetime(captures) {}
    guard let copy = unsafe copy else {
      throw BlockError(.outOfMemory, "no memory for a block; free some")
    }
    unsafe self.init(adopting: copy)
  }
}

/// The memory of a block made at run time: the header and one captured reference.
@unsafe
private struct SynthesisedBlock {
  var header: cbr_block
  var captures: Unmanaged<BlockCaptures>
}

/// The captures of a block made at run time.
private final class BlockCaptures {
  let owner: AnyObject
  let descriptor: DescriptorMemory

  init(owner: AnyObject, descriptor: DescriptorMemory) {
    self.owner = owner
    self.descriptor = descriptor
  }
}

/// The descriptor of a block made at run time, with its signature.
@safe
private final class DescriptorMemory {
  // SAFETY: the memory is allocated and initialised by `init`, freed by `deinit`, and not written
  // in between.

  @unsafe
  private struct Descriptor {
    var head: cbr_block_descriptor
    var copy: @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
    var dispose: @convention(c) (UnsafeRawPointer) -> Void
    var signature: UnsafePointer<CChar>
    var layout: UnsafePointer<CChar>?
  }

  private let memory: UnsafeMutablePointer<Descriptor>

  var address: UnsafePointer<cbr_block_descriptor> {
    // SAFETY: the head is the structure's first member.
    unsafe UnsafeRawPointer(memory).assumingMemoryBound(to: cbr_block_descriptor.self)
  }

  init(_ encoding: String) {
    let signature = UnsafeMutablePointer<CChar>.allocate(capacity: encoding.utf8.count + 1)
    for (index, byte) in encoding.utf8.enumerated() {
      // SAFETY: the memory has room for every byte and for the zero at the end.
      unsafe (signature + index).initialize(to: CChar(bitPattern: byte))
    }
    unsafe (signature + encoding.utf8.count).initialize(to: 0)
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(
      to: Descriptor(
        head: cbr_block_descriptor(
          reserved: 0, size: UInt(MemoryLayout<SynthesisedBlock>.size)),
        copy: { destination, _ in
          // SAFETY: the runtime passes the new block, with the captured words already copied, and
          // the block that ends.
          _ = unsafe destination.load(as: SynthesisedBlock.self).captures.retain()
        },
        dispose: { block in unsafe block.load(as: SynthesisedBlock.self).captures.release() },
        signature: signature, layout: nil))
  }

  deinit {
    unsafe memory.pointee.signature.deallocate()
    unsafe memory.deallocate()
  }
}
