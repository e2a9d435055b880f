extension DelayTimer {
  /// Runs a block again and again, until it is cancelled.
  ///
  /// Its ticks begin before other blocks that are due at the same time and were made later, and after
  /// those that were made earlier. `reschedule(after:)` puts it behind them.
  ///
  /// - Parameters:
  ///   - interval: The time between ticks, more than zero.
  ///   - delay: The time before the first tick, none if it is negative; nil is the interval.
  ///   - policy: What happens to ticks that are missed, and whether the times may drift.
  ///   - target: Where the block runs; nil is the timer's own target.
  ///   - tolerance: How much later each run may begin, at most the interval, so that blocks share a wake-up; the times of later ticks
  ///     do not depend on it.
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

  /// Makes a repeating block that is not added yet.
  func repeating(
    _ interval: Duration, delay: Duration?, policy: RepeatingBlock.Policy, target: DelayTarget?,
    tolerance: Duration, _ body: @escaping RepeatingBlock.Body
  ) throws(DelayError) -> RepeatingBlock {
    guard interval.wholeNanoseconds > 0 else {
      throw DelayError(
        .invalidInterval,
        "an interval of \(interval) would repeat without end; pass a nanosecond or more")
    }
    return RepeatingBlock(
      body, start: instant(after: delay ?? interval).nanoseconds,
      interval: interval.wholeNanoseconds, policy: policy,
      tolerance: min(tolerance, interval).wholeNanoseconds,
      target: target ?? self.target, timer: self)
  }
}
