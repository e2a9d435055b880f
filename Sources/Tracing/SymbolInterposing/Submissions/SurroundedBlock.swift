internal import BlockABI

/// A block that was sent to a queue, with what surrounds it: libdispatch gets a block that calls
/// this one, and owns this object.
@safe
final class SurroundedBlock: Sendable {
  // SAFETY: the block lives as long as this object, which either retains it or lives no longer than
  // the call in which the sender keeps it alive. Its code takes the block, and an iteration's
  // number if it is iterated.

  private typealias Function = @convention(c) (UnsafeRawPointer) -> Void
  private typealias Iteration = @convention(c) (UnsafeRawPointer, Int) -> Void

  nonisolated(unsafe) private let address: UnsafeRawPointer
  private let kept: Block?
  private let surrounding: EverySubmission.Surrounding

  /// Surrounds a block that the sender keeps alive until it has run.
  ///
  /// ## Safety
  /// The block must live as long as this object.
  @unsafe
  init(at address: UnsafeRawPointer, _ surrounding: @escaping EverySubmission.Surrounding) {
    unsafe self.address = unsafe address
    kept = nil
    self.surrounding = surrounding
  }

  /// Surrounds a block that may run after the sender has released it.
  init(keeping block: Block, _ surrounding: @escaping EverySubmission.Surrounding) {
    let copy = block.copied()
    unsafe address = unsafe copy.withUnsafePointer { unsafe $0 }
    kept = copy
    self.surrounding = surrounding
  }

  /// The block that runs in place of this one.
  func block() throws(BlockError) -> Block {
    let body: @convention(block) () -> Void = {
      self.surrounding {
        unsafe unsafeBitCast(BlockView(self.address).invoke, to: Function.self)(self.address)
      }
    }
    return try Block(body)
  }

  /// The block that runs in place of this one, which is iterated.
  func iteratedBlock() throws(BlockError) -> Block {
    let body: @convention(block) (Int) -> Void = { index in
      self.surrounding {
        unsafe unsafeBitCast(BlockView(self.address).invoke, to: Iteration.self)(
          self.address, index)
      }
    }
    return try Block(body)
  }
}
