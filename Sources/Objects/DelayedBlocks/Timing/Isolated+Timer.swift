private import Dispatch
@_exported public import IsolatedClosures

extension Isolated where Base == DelayTimer {
  /// Runs a block that need not be `Sendable` after a time.
  ///
  /// The block runs on the actor, whatever the timer's own target is; on the main actor in the
  /// order of the main queue. With a `ManualClock` it runs inline: advance the clock on that actor,
  /// or in the scope.
  ///
  /// No other clock can run a block in a scope: then the block is cancelled at once, and the error
  /// `wrongExecutor` is written to standard error.
  ///
  /// ```swift
  /// @MainActor final class Search {
  ///   var results: [String] = []
  ///   func start() { isolated(DelayTimer.shared).perform(after: .seconds(1)) { self.results = [] } }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - delay: The time from now; zero if it is negative.
  ///   - tolerance: How much later the block may run, so that blocks share a wake-up.
  ///   - body: The block. Until it has run or is cancelled, it retains the actor.
  /// - Returns: The token.
  @discardableResult
  public func perform(
    after delay: Duration, tolerance: Duration = .zero, _ body: @escaping () -> Void
  ) -> DelayedBlock {
    perform(at: base.instant(after: delay), tolerance: tolerance, body)
  }

  /// Runs a block that need not be `Sendable` at an instant.
  ///
  /// Otherwise it is like `perform(after:tolerance:_:)`.
  @discardableResult
  public func perform(
    at instant: DelayTimer.Instant, tolerance: Duration = .zero, _ body: @escaping () -> Void
  ) -> DelayedBlock {
    perform(at: instant, on: target, tolerance: tolerance, body)
  }

  private func perform(
    at instant: DelayTimer.Instant, on target: DelayTarget?, tolerance: Duration,
    _ body: @escaping () -> Void
  ) -> DelayedBlock {
    guard let target else {
      // A block that is never due cannot begin before it is cancelled.
      let block = base.perform(at: .never) {}
      block.cancel()
      reportHandlerError(unreachable)
      return block
    }
    let closure = closure(body)
    let block = base.perform(at: instant, on: target, tolerance: tolerance) {
      closure.report { $0() }
    }
    return ending(block)
  }

  /// Runs a block for an object after a time, unless the object is destroyed before; neither need
  /// be `Sendable`.
  ///
  /// It is like `DelayTimer.perform(after:for:name:keepsOwner:on:tolerance:_:)`, and runs where
  /// `perform(after:tolerance:_:)` says.
  ///
  /// - Parameters:
  ///   - delay: The time from now; zero if it is negative.
  ///   - owner: The object; retained while the block runs.
  ///   - name: A name by which the block can be cancelled.
  ///   - keepsOwner: Whether the object is retained until the block has run or is cancelled.
  ///   - tolerance: How much later the block may run.
  ///   - body: The block; it receives the object.
  /// - Returns: The token; a cancelled one if the object is being destroyed already.
  @discardableResult
  public func perform<Owner: AnyObject>(
    after delay: Duration, for owner: Owner, name: String? = nil, keepsOwner: Bool = false,
    tolerance: Duration = .zero, _ body: @escaping (Owner) -> Void
  ) -> DelayedBlock {
    let kept = keepsOwner ? owner : nil
    // An actor that is the owner itself is not retained, unless it is kept.
    let block = perform(
      at: base.instant(after: delay), on: target?.without(owner), tolerance: tolerance
    ) { [weak owner] in
      if let owner = kept ?? owner { body(owner) }
    }
    OwnedBlocks.note(block, of: owner, name: name)
    return block
  }

  /// Runs a block that need not be `Sendable` repeatedly, until it is cancelled.
  ///
  /// It is like `DelayTimer.repeat(every:after:policy:on:tolerance:_:)`, and runs where
  /// `perform(after:tolerance:_:)` says. It does not retain the actor, whose end cancels it.
  ///
  /// - Parameters:
  ///   - interval: The time between ticks, more than zero.
  ///   - delay: The time before the first tick, zero if it is negative; nil is the interval.
  ///   - policy: What happens to ticks that are missed, and whether the times may drift.
  ///   - tolerance: How much later each run may begin, less than the interval.
  ///   - body: The block.
  /// - Returns: The token.
  /// - Throws: `invalidInterval`; `wrongExecutor` if the timer can run nothing there.
  @discardableResult
  public func `repeat`(
    every interval: Duration, after delay: Duration? = nil, policy: RepeatingBlock.Policy = .skip,
    tolerance: Duration = .zero, _ body: @escaping (RepeatingBlock.Tick) -> Void
  ) throws(DelayError) -> RepeatingBlock {
    guard let target else { throw unreachable }
    let closure = closure(body)
    let block = try base.repeat(
      every: interval, after: delay, policy: policy, on: target.withoutActor, tolerance: tolerance
    ) { tick in closure.report { $0(tick) } }
    return ending(block)
  }

  /// Runs a block for an object repeatedly, until it is cancelled or the object is destroyed;
  /// neither need be `Sendable`.
  ///
  /// The object is not retained between runs. The parameters are those of
  /// `repeat(every:after:policy:tolerance:_:)` and
  /// `perform(after:for:name:keepsOwner:tolerance:_:)`.
  ///
  /// - Returns: The token; a cancelled one if the object is being destroyed already.
  /// - Throws: `invalidInterval`; `wrongExecutor` if the timer can run nothing there.
  @discardableResult
  public func `repeat`<Owner: AnyObject>(
    every interval: Duration, for owner: Owner, name: String? = nil, after delay: Duration? = nil,
    policy: RepeatingBlock.Policy = .skip, tolerance: Duration = .zero,
    _ body: @escaping (Owner, RepeatingBlock.Tick) -> Void
  ) throws(DelayError) -> RepeatingBlock {
    let block = try self.repeat(
      every: interval, after: delay, policy: policy, tolerance: tolerance
    ) { [weak owner] tick in
      if let owner { body(owner, tick) }
    }
    OwnedBlocks.note(block, of: owner, name: name)
    return block
  }

  /// Where blocks run; nil if the timer cannot bring them there.
  var target: DelayTarget? {
    if base.source is ManualClock { return .inline }
    return isolation.actor.map { $0 === MainActor.shared ? .queue(.main) : .actor($0) }
  }

  var unreachable: DelayError {
    DelayError(
      .wrongExecutor,
      "a timer cannot run a block in a scope: call isolated(_:) on an actor, use a ManualClock, or pass a "
        + "@Sendable closure without isolated(_:)")
  }
}
