internal import BlockRuntimeThreads

/// Runs a closure once for a burst of calls: when they have been quiet for a while, at their
/// beginning, or both.
///
/// Calls may come from any thread; the closure never runs under a lock. On a concurrent target a run
/// that takes longer than the delay may overlap with the next: give a serial queue where that
/// matters. Dropping the debouncer frees the closure, and what has not begun does not run any more.
/// lodash's `debounce` is the model, with one difference: a run that `maximumWait` forces does not
/// end the burst.
public final class Debouncer<Input: Sendable>: Sendable {
  private struct Burst {
    /// The call that has not led to a run yet, if the trailing edge is used.
    var input: Input?
    /// When the last call came.
    var lastCall: DelayTimer.Instant
    /// When the first call came that has not led to a run.
    var firstWaiting: DelayTimer.Instant
    /// What ends the burst, or looks again.
    var check: DelayedBlock?
    /// Tells the burst from others.
    let number: Int
  }

  private struct State {
    /// The burst under way.
    var burst: Burst?
    var burstCount = 0
  }

  private let delay: Duration
  private let edges: RateEdges
  private let maximumWait: Duration?
  private let timer: DelayTimer
  private let delivery: Delivery<Input>
  private let state = Locked(State())

  /// Creates a debouncer.
  ///
  /// - Parameters:
  ///   - delay: How long calls must be quiet; none if it is negative.
  ///   - edges: When the closure runs.
  ///   - maximumWait: How long a call waits for its trailing run at most, while calls go on, not less
  ///     than the delay; nil for as long as they do.
  ///   - timer: Whose time it is.
  ///   - target: Where the closure runs; nil is the timer's own target. Inline, a leading run is on
  ///     the thread of the call. An actor is not kept alive.
  ///   - action: The closure; it gets the input of the last call.
  public init(
    delay: Duration, edges: RateEdges = .trailing, maximumWait: Duration? = nil,
    timer: DelayTimer = .shared, on target: DelayTarget? = nil,
    _ action: @escaping @Sendable (Input) -> Void
  ) {
    self.delay = max(delay, .zero)
    self.edges = edges
    self.maximumWait = maximumWait.map { max($0, delay, .zero) }
    self.timer = timer
    delivery = Delivery(to: target ?? timer.target, action)
  }

  deinit { state.withLock { $0.burst?.check }?.cancel() }

  /// Notes a call.
  public func callAsFunction(_ input: Input) {
    let now = timer.now
    // What is replaced is freed under no lock.
    let (begun, old) = state.withLock { note(input, at: now, &$0) }
    withExtendedLifetime(old) {}
    guard let begun else { return }
    if edges.contains(.leading) { delivery.send(delivery.accept(input)) }
    look(at: end(of: now, firstWaiting: now), burst: begun)
  }

  /// Ends the burst; what has not begun to run is dropped.
  ///
  /// - Returns: Whether this call prevented a run.
  @discardableResult
  public func cancel() -> Bool {
    let burst = takeBurst { $0 }
    let isWaiting = burst?.input != nil
    return delivery.cancel() || isWaiting
  }

  /// Ends the burst, and sends what waits to the target now.
  ///
  /// - Returns: Whether there was something.
  @discardableResult
  public func flush() -> Bool {
    guard let number = takeBurst({ $0?.input.map(delivery.accept) }) else { return false }
    delivery.send(number)
    return true
  }

  /// Whether a call waits for its run, or for its turn at the target.
  public var isPending: Bool {
    state.withLock { $0.burst?.input != nil } || delivery.isPending
  }

  /// Notes a call.
  ///
  /// - Returns: The number of the burst that it begins, and the input that it replaces.
  private func note(
    _ input: Input, at now: DelayTimer.Instant, _ state: inout State
  ) -> (begun: Int?, old: Input?) {
    guard var burst = state.burst else {
      state.burstCount += 1
      state.burst = Burst(
        input: edges == .trailing ? input : nil, lastCall: now, firstWaiting: now,
        number: state.burstCount)
      return (state.burstCount, nil)
    }
    // Another call may have read the clock later, and have come first.
    burst.lastCall = max(burst.lastCall, now)
    let old = burst.input
    if edges.contains(.trailing) {
      if old == nil { burst.firstWaiting = now }
      burst.input = input
    }
    state.burst = burst
    return (nil, old)
  }

  /// Ends the burst, and makes something of it under the same lock.
  private func takeBurst<Result>(_ body: (Burst?) -> Result) -> Result {
    let (burst, result) = state.withLock { state in
      defer { state.burst = nil }
      return (state.burst, body(state.burst))
    }
    burst?.check?.cancel()
    return result
  }

  /// When a burst ends or a call has waited long enough, if no other call comes.
  private func end(
    of lastCall: DelayTimer.Instant, firstWaiting: DelayTimer.Instant
  ) -> DelayTimer.Instant {
    let quiet = lastCall.advanced(by: delay)
    return maximumWait.map { min(quiet, firstWaiting.advanced(by: $0)) } ?? quiet
  }

  private func look(at instant: DelayTimer.Instant, burst number: Int) {
    let check = timer.perform(at: instant, on: .inline) { [weak self] in self?.look(burst: number) }
    let isNeeded = state.withLock { state in
      guard state.burst?.number == number else { return false }
      state.burst?.check = check
      return true
    }
    if !isNeeded { check.cancel() }
  }

  private func look(burst number: Int) {
    let now = timer.now
    let (accepted, next) = state.withLock { state -> (Int?, DelayTimer.Instant?) in
      guard var burst = state.burst, burst.number == number else { return (nil, nil) }
      let quiet = burst.lastCall.advanced(by: delay)
      let end =
        burst.input == nil ? quiet : end(of: burst.lastCall, firstWaiting: burst.firstWaiting)
      guard end <= now else { return (nil, end) }
      let accepted = burst.input.map(delivery.accept)
      burst.input = nil
      state.burst = quiet <= now ? nil : burst
      return (accepted, quiet <= now ? nil : quiet)
    }
    if let accepted { delivery.send(accepted) }
    if let next { look(at: next, burst: number) }
  }
}

extension Debouncer where Input == Void {
  /// Notes a call.
  public func callAsFunction() { self(()) }
}
