import BlockRuntime
import CDemoBlocks
import CommandOptionsAndResults

/// The real blocks that the tour hooks, and the addresses of their original code.
final class Exhibits: Sendable {
  /// A Swift closure that adds an `Int32` and a `Double`, called as `add(3, 4.5)`.
  let add: @convention(block) @Sendable (Int32, Double) -> Int32

  let addBlock: Block

  /// A C block that adds, in a page that most linkers protect.
  let global: Block

  /// Whether the linker left the page of `global` writable.
  let isGlobalWritable: Bool

  /// A C block that multiplies by 3, on the heap.
  let scaling: Block

  /// A C block that returns a rectangle.
  let rect: Block

  /// A C block that takes a C string and a block, which it calls for each letter.
  let spelling: Block

  /// All blocks with their names.
  var all: [(name: String, block: Block)] {
    [
      ("Swift closure", addBlock), ("C global", global), ("C heap", scaling),
      ("C struct result", rect), ("C string and block", spelling),
    ]
  }

  /// The address of each block's original code, in the order of `all`.
  let originalCode: [UInt]

  /// Collects the blocks.
  ///
  /// - Throws: `BlockError` and `Failure` if a block cannot be made.
  init() throws {
    add = { number, fraction in number + Int32(fraction) }
    addBlock = try Block(add)
    // SAFETY: each function returns a block; those that make one transfer a reference, which
    // `adopted` takes over.
    global = unsafe Block(unsafePointer: cdemo_global_block())
    isGlobalWritable = Self.isWritable(global)
    spelling = unsafe Block(unsafePointer: cdemo_spelling_block())
    scaling = unsafe try Self.adopted(cdemo_make_scaling_block(3))
    rect = unsafe try Self.adopted(cdemo_make_rect_block(10))
    originalCode = [addBlock, global, scaling, rect, spelling].map {
      // SAFETY: the address is only compared.
      unsafe UInt(bitPattern: $0.invokeAddress)
    }
  }

  /// Collects the blocks, and converts errors to failures of a command.
  static func collected() throws(Failure) -> Exhibits {
    do { return try Exhibits() } catch {
      throw error as? Failure ?? Failure(code: "noBlocks", message: "\(error)")
    }
  }

  /// Whether a block has no hooks and its original code.
  func isRestored(_ block: Block) -> Bool {
    guard let index = all.firstIndex(where: { $0.block == block }) else { return false }
    // SAFETY: the address is only compared.
    let code = unsafe UInt(bitPattern: block.invokeAddress)
    return block.hooks.isEmpty && code == originalCode[index]
  }

  /// Takes ownership of a block that C made.
  ///
  /// - Throws: `noBlocks` if there is none.
  ///
  /// ## Safety
  /// The pointer must be null or a block, of which one reference is the caller's.
  @unsafe
  static func adopted(_ pointer: UnsafeRawPointer?) throws -> Block {
    guard let pointer = unsafe pointer else {
      throw Failure(code: "noBlocks", message: "no memory for a block")
    }
    // SAFETY: the caller passes a block with one reference, which is released, because `Block` has
    // its own.
    let block = unsafe Block(unsafePointer: pointer)
    unsafe cdemo_release(pointer)
    return block
  }
}
