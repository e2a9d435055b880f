/// Closures are consumed on the way to their block: no caller holds a reference when the block,
/// which may run meanwhile, frees its own.
extension DelayTimer {
  /// Runs a block after a time.
  ///
  /// Blocks that are due at the same time begin in the order in which they were scheduled.
  ///
  /// - Parameters:
  ///   - delay: The time from now; zero if it is negative. If it ends after `Instant.never`, the
  ///     block stays pending until it is cancelled.
  ///   - target: Where the block runs; nil is the timer's own target.
  ///   - tolerance: How much later the block may run, so that blocks share a wake-up.
  ///   - body: The block. It is freed when it has run, or when it is cancelled.
  /// - Returns: The token.
  @discardableResult
  public func perform(
    after delay: Duration, on target: DelayTarget? = nil, tolerance: Duration = .zero,
    _ body: consuming @escaping @Sendable () -> Void
  ) -> DelayedBlock {
    schedule(consume body, at: instant(after: delay), target, tolerance)
  }

  /// Runs a block at an instant; otherwise it is like `perform(after:on:tolerance:_:)`.
  ///
  /// A block that is due at a past instant runs at once.
  @discardableResult
  public func perform(
    at instant: Instant, on target: DelayTarget? = nil, tolerance: Duration = .zero,
    _ body: consuming @escaping @Sendable () -> Void
  ) -> DelayedBlock {
    schedule(consume body, at: instant, target, tolerance)
  }

  /// Runs a block after a time, and stores what it returns or throws.
  ///
  /// - Returns: The token, whose `value` waits for the result.
  public func perform<Value: Sendable>(
    after delay: Duration, on target: DelayTarget? = nil, tolerance: Duration = .zero,
    _ body: @escaping @Sendable () throws -> Value
  ) -> DelayedValue<Value> {
    schedule(.call(body), at: instant(after: delay), target, tolerance)
  }

  /// Runs a block after a time, and then awaits the closure that it returns, in a task; the token's
  /// `value` waits for the result of that closure.
  package func perform<Value: Sendable>(
    after delay: Duration, on target: DelayTarget? = nil,
    awaiting body: @escaping @Sendable () throws -> @Sendable () async throws -> Value
  ) -> DelayedValue<Value> {
    schedule(.awaiting(body), at: instant(after: delay), target, .zero)
  }

  /// Runs a block at an instant, and stores what it returns or throws.
  ///
  /// - Returns: The token, whose `value` waits for the result.
  public func perform<Value: Sendable>(
    at instant: Instant, on target: DelayTarget? = nil, tolerance: Duration = .zero,
    _ body: @escaping @Sendable () throws -> Value
  ) -> DelayedValue<Value> {
    schedule(.call(body), at: instant, target, tolerance)
  }

  /// The end of a delay that begins now; now if the delay is negative.
  @inline(__always)
  func instant(after delay: Duration) -> Instant {
    let now = now.nanoseconds
    let room = Instant.never.nanoseconds - now
    return Instant(nanoseconds: now + min(delay.wholeNanoseconds, room))
  }

  @inline(__always)
  private func schedule(
    _ body: consuming @escaping @Sendable () -> Void, at instant: Instant,
    _ target: DelayTarget?, _ tolerance: Duration
  ) -> DelayedBlock {
    let block = DelayedBlock(
      consume body, at: instant.nanoseconds, tolerance: tolerance.wholeNanoseconds,
      target: target ?? self.target, timer: self)
    add(block)
    return block
  }

  private func schedule<Value: Sendable>(
    _ work: DelayedValue<Value>.Work, at instant: Instant, _ target: DelayTarget?,
    _ tolerance: Duration
  ) -> DelayedValue<Value> {
    let block = DelayedValue(
      work, at: instant.nanoseconds, tolerance: tolerance.wholeNanoseconds,
      target: target ?? self.target, timer: self)
    add(block)
    return block
  }
}
