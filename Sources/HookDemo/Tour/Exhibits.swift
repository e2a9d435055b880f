import BlockRuntime
import CDemoBlocks
import CommandConventions

/// The real blocks that the tour hooks, and the code they entered when it began.
final class Exhibits: Sendable {
  /// `Int32 + Double`, a closure in Swift; it is called as `add(3, 4.5)`.
  let add: @convention(block) @Sendable (Int32, Double) -> Int32

  /// The block that `add` is.
  let addBlock: Block

  /// A sum, in C, in a protected page.
  let global: Block

  /// A multiplication by 3, in C, on the heap.
  let scaling: Block

  /// A rectangle, in C: its result goes through a hidden pointer.
  let rect: Block

  /// A visit of each letter, in C: takes a C string and a block.
  let spelling: Block

  /// All of them by name.
  var all: [(name: String, block: Block)] {
    [
      ("Swift closure", addBlock), ("C global", global), ("C heap", scaling),
      ("C struct result", rect), ("C string and block", spelling),
    ]
  }

  /// The code that each block entered when the tour began, in the order of `all`.
  let originalCode: [UInt]

  /// Collects the blocks.
  ///
  /// - Throws: `BlockError` and `ExhibitError` where one cannot be made.
  init() throws {
    add = { number, fraction in number + Int32(fraction) }
    addBlock = try Block(add)
    // SAFETY: each function returns a block; those that are made come with a reference for us.
    global = unsafe Block(unsafePointer: cdemo_global_block())
    spelling = unsafe Block(unsafePointer: cdemo_spelling_block())
    scaling = unsafe try Self.adopted(cdemo_make_scaling_block(3))
    rect = unsafe try Self.adopted(cdemo_make_rect_block(10))
    originalCode = [addBlock, global, scaling, rect, spelling].map {
      unsafe UInt(bitPattern: $0.invokeAddress)
    }
  }

  /// Collects the blocks, for a command.
  static func collected() throws(Failure) -> Exhibits {
    do { return try Exhibits() } catch { throw Failure(code: "noBlocks", message: "\(error)") }
  }

  /// Takes over a block that C made.
  ///
  /// - Throws: `ExhibitError` if there is none.
  ///
  /// ## Safety
  /// The pointer must be null or a block, of which one reference is the caller's.
  @unsafe
  static func adopted(_ pointer: UnsafeRawPointer?) throws -> Block {
    guard let pointer = unsafe pointer else { throw ExhibitError.outOfMemory }
    // SAFETY: the box holds a reference of its own, so the one handed over can go.
    let block = unsafe Block(unsafePointer: pointer)
    unsafe cdemo_release(pointer)
    return block
  }
}

/// Why the tour has no block to show.
enum ExhibitError: Error, CustomStringConvertible {
  /// C could not allocate a block.
  case outOfMemory

  var description: String { "no memory for a block" }
}
