extension DelayTimer {
  /// Runs a block repeatedly, until it is cancelled.
  ///
  /// Among blocks that are due at the same time, its ticks keep the place that the block had when
  /// it was scheduled; `reschedule(after:)` puts it behind the others.
  ///
  /// - Parameters:
  ///   - interval: The time between ticks, more than zero.
  ///   - delay: The time before the first tick, zero if it is negative; nil is the interval.
  ///   - policy: What happens to ticks that are missed, and whether the times may drift.
  ///   - target: Where the block runs; nil is the timer's own target.
  ///   - tolerance: How much later each run may begin, less than the interval, so that blocks share
  ///     a wake-up; the times of later ticks do not depend on it.
  ///   - body: The block. It is freed when the block is cancelled.
  /// - Returns: The token.
  /// - Throws: `invalidInterval`.
  @discardableResult
  public func `repeat`(
    every interval: Duration, after delay: Duration? = nil,
    policy: RepeatingBlock.Policy = .skip, on target: DelayTarget? = nil,
    tolerance: Duration = .zero, _ body: @escaping @Sendable (RepeatingBlock.Tick) -> Void
  ) throws(DelayError) -> RepeatingBlock {
    let block = try repeating(
      interval, delay: delay, policy: policy, target: target, tolerance: tolerance
    ) { tick in
      body(tick)
      return true
    }
    add(block)
    return block
  }

  /// Creates a repeating block, without scheduling it.
  func repeating(
    _ interval: Duration, delay: Duration?, policy: RepeatingBlock.Policy, target: DelayTarget?,
    tolerance: Duration, _ body: @escaping RepeatingBlock.Body
  ) throws(DelayError) -> RepeatingBlock {
    guard interval.wholeNanoseconds > 0 else {
      throw DelayError(
        .invalidInterval,
        "an interval of \(interval) is too short; pass a nanosecond or more")
    }
    return RepeatingBlock(
      body, start: instant(after: delay ?? interval).nanoseconds,
      interval: interval.wholeNanoseconds, policy: policy,
      // With a whole interval, a run might begin when the next tick is due, which it would skip.
      tolerance: min(tolerance.wholeNanoseconds, interval.wholeNanoseconds - 1),
      target: target ?? self.target, timer: self)
  }
}
