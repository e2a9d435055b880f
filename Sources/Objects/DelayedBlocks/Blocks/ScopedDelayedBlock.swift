/// A token that cancels its block when it goes out of scope.
public struct ScopedDelayedBlock: ~Copyable, Sendable {
  /// The block.
  public let block: DelayedBlock

  init(_ block: DelayedBlock) { self.block = block }

  deinit { block.cancel() }
}

extension DelayedBlock {
  /// Returns a token that cancels the block when it goes out of scope.
  public final func scoped() -> ScopedDelayedBlock { ScopedDelayedBlock(self) }
}
