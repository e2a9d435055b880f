extension DelayedBlock {
  /// The state of a block.
  public enum State: Sendable, Hashable {
    /// The block is waiting until it is due, or was sent to its target and has not begun there.
    case pending
    /// The block is running.
    case running
    /// The block has run, and will not run again.
    case finished
    /// The block was cancelled, and will not run again.
    case cancelled
  }

  /// The result of waiting for a block.
  public enum Outcome: Sendable, Hashable {
    /// The block has run.
    case ran
    /// The block was cancelled.
    case cancelled
    /// The block has not ended in time; returned only by `wait(timeout:)`.
    case timedOut
  }
}

extension DelayedBlock: CustomStringConvertible {
  /// The state, and the instant at which the block is due.
  public var description: String { "<delayed block, \(state), due at \(instant)>" }
}
