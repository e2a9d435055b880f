internal import BlockRuntimeThreads

/// Runs a closure at most once in an interval, however often it is called.
///
/// A throttler may be called on any thread; the closure never runs under a lock. On a concurrent
/// target, a run that takes longer than the interval overlaps with the next: pass a serial queue
/// where that matters. Releasing the throttler frees the closure; runs that have not begun are
/// dropped.
public final class Throttler<Input: Sendable>: Sendable {
  private struct State {
    /// The earliest time of the next run.
    var earliest: DelayTimer.Instant?
    /// The input of the call that waits for its run.
    var input: Input?
    /// The block that will run the closure with the input.
    var run: DelayedBlock?
  }

  private let interval: Duration
  private let edges: RateEdges
  private let timer: DelayTimer
  private let delivery: Delivery<Input>
  private let state = Locked(State())

  /// Creates a throttler.
  ///
  /// - Parameters:
  ///   - interval: The least time between two runs; zero if it is negative.
  ///   - edges: With `leading`, the first call runs at once, otherwise at the end of an interval.
  ///     With `trailing`, the last of the calls that come too early runs when the interval has
  ///     passed, otherwise these calls are dropped.
  ///   - timer: The timer.
  ///   - target: Where the closure runs; nil is the timer's own target. With `inline`, a leading
  ///     run is on the thread of the call. An actor is not retained.
  ///   - action: The closure.
  public init(
    interval: Duration, edges: RateEdges = [.leading, .trailing], timer: DelayTimer = .shared,
    on target: DelayTarget? = nil, _ action: @escaping @Sendable (Input) -> Void
  ) {
    self.interval = max(interval, .zero)
    self.edges = edges
    self.timer = timer
    delivery = Delivery(to: target ?? timer.target, action)
  }

  deinit { state.withLock { $0.run }?.cancel() }

  /// Records a call with an input.
  public func callAsFunction(_ input: Input) {
    let now = timer.now
    // A replaced input is released while no lock is held.
    let (runsNow, later, old) = state.withLock { note(input, at: now, &$0) }
    withExtendedLifetime(old) {}
    if runsNow { delivery.send(delivery.accept(input)) }
    if let later { runLast(at: later) }
  }

  /// Drops calls that wait or have not begun to run; the interval continues.
  ///
  /// - Returns: Whether this call prevented a run.
  @discardableResult
  public func cancel() -> Bool {
    let input = takeInput { input, _ in input }
    let isWaiting = input != nil
    return delivery.cancel() || isWaiting
  }

  /// Sends the call that waits to the target now.
  ///
  /// - Returns: Whether a call was waiting.
  @discardableResult
  public func flush() -> Bool {
    let next = timer.now.advanced(by: interval)
    let number = takeInput { input, earliest in
      input.map { input in
        earliest = next
        return delivery.accept(input)
      }
    }
    guard let number else { return false }
    delivery.send(number)
    return true
  }

  /// Whether a call waits for its run, or was sent to the target and has not begun there.
  public var isPending: Bool { state.withLock { $0.input != nil } || delivery.isPending }

  /// Records a call; called under the lock.
  ///
  /// - Returns: Whether it runs now; the time of the trailing run, if this call is the first to
  ///   wait; and the input that it replaces.
  private func note(
    _ input: Input, at now: DelayTimer.Instant, _ state: inout State
  ) -> (runsNow: Bool, later: DelayTimer.Instant?, old: Input?) {
    let mayRun = state.input == nil && state.earliest.map { $0 <= now } ?? true
    if mayRun, edges.contains(.leading) {
      state.earliest = now.advanced(by: interval)
      return (true, nil, nil)
    }
    guard edges.contains(.trailing) else { return (false, nil, nil) }
    if mayRun { state.earliest = now.advanced(by: interval) }
    let old = state.input
    state.input = input
    return (false, old == nil ? state.earliest : nil, old)
  }

  /// Takes the waiting call out, and calls a closure with it under the same lock.
  ///
  /// - Parameters:
  ///   - block: The block for which the call waits; nil for any.
  ///   - body: Receives the call's input, if one waits, and the earliest time of the next run.
  /// - Returns: What the closure returns.
  private func takeInput<Result>(
    of block: DelayedBlock? = nil, _ body: (Input?, inout DelayTimer.Instant?) -> Result
  ) -> Result {
    let (result, run) = state.withLock { state in
      let isChosen = block == nil || block === state.run
      let (input, run) = isChosen ? (state.input.take(), state.run.take()) : (nil, nil)
      return (body(input, &state.earliest), run)
    }
    run?.cancel()
    return result
  }

  private func runLast(at instant: DelayTimer.Instant) {
    let block = timer.perform(at: instant, on: .inline) { [weak self] in self?.runLast() }
    let isNeeded = state.withLock { state in
      if state.input != nil { state.run = block }
      return state.input != nil
    }
    if !isNeeded { block.cancel() }
    // Where the timer cancels all of its blocks, nothing else would take the call out.
    block.whenEnded { [weak self] outcome in
      if outcome == .cancelled { _ = self?.takeInput(of: block) { input, _ in input } }
    }
  }

  private func runLast() {
    let now = timer.now
    let number = state.withLock { state -> Int? in
      // This may be the block of a dropped call; a call that waits now has a block of its own.
      guard let input = state.input, state.earliest.map({ $0 <= now }) ?? true else { return nil }
      (state.input, state.run) = (nil, nil)
      state.earliest = now.advanced(by: interval)
      return delivery.accept(input)
    }
    if let number { delivery.send(number) }
  }
}

extension Throttler where Input == Void {
  /// Records a call.
  public func callAsFunction() { self(()) }
}

extension Throttler: ReferenceTable {
  package var label: String { "throttler" }
  package var contents: Any { state.withLock { $0 } }
}
