internal import BlockRuntimeThreads

/// Runs a closure once for a burst of calls: when no call has come for a while, at the first call,
/// or both.
///
/// A debouncer may be called on any thread; the closure never runs under a lock. On a concurrent
/// target, a run that takes longer than the delay may overlap with the next: pass a serial queue
/// where that matters. Releasing the debouncer frees the closure; runs that have not begun are
/// dropped. The model is lodash's `debounce`, with one difference: a run that `maximumWait` forces
/// does not end the burst.
public final class Debouncer<Input: Sendable>: Sendable {
  private struct Burst {
    /// The input of the last call that has not led to a run yet, if the trailing edge is used.
    var input: Input?
    /// The time of the last call.
    var lastCall: DelayTimer.Instant
    /// The time of the first call that has not led to a run.
    var firstWaiting: DelayTimer.Instant
    /// The block that ends the burst, or schedules the next check.
    var check: DelayedBlock?
    /// Identifies the burst.
    let number: Int
  }

  private struct State {
    /// The burst in progress.
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
  ///   - delay: The time without a call after which a burst ends; zero if it is negative.
  ///   - edges: When the closure runs.
  ///   - maximumWait: How long a call waits for its trailing run at most while calls continue, at
  ///     least `delay`; nil waits until the burst ends.
  ///   - timer: The timer.
  ///   - target: Where the closure runs; nil is the timer's own target. With `inline`, a leading
  ///     run is on the thread of the call. An actor is not retained.
  ///   - action: The closure; it receives the input of the last call, or, at the leading edge, of
  ///     the first.
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

  /// Records a call with an input.
  public func callAsFunction(_ input: Input) {
    let now = timer.now
    // A replaced input is released while no lock is held.
    let (begun, old) = state.withLock { note(input, at: now, &$0) }
    withExtendedLifetime(old) {}
    guard let begun else { return }
    if edges.contains(.leading) { delivery.send(delivery.accept(input)) }
    look(at: end(of: now, firstWaiting: now), burst: begun)
  }

  /// Ends the burst; runs that have not begun are dropped.
  ///
  /// - Returns: Whether this call prevented a run.
  @discardableResult
  public func cancel() -> Bool {
    let burst = takeBurst { $0 }
    let isWaiting = burst?.input != nil
    return delivery.cancel() || isWaiting
  }

  /// Ends the burst, and sends an input that waits for its run to the target now.
  ///
  /// - Returns: Whether an input was waiting.
  @discardableResult
  public func flush() -> Bool {
    guard let number = takeBurst({ $0?.input.map(delivery.accept) }) else { return false }
    delivery.send(number)
    return true
  }

  /// Whether a call waits for its run, or was sent to the target and has not begun there.
  public var isPending: Bool {
    state.withLock { $0.burst?.input != nil } || delivery.isPending
  }

  /// Records a call; called under the lock.
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
    // A call that read the clock later may have taken the lock first.
    burst.lastCall = max(burst.lastCall, now)
    let old = burst.input
    if edges.contains(.trailing) {
      if old == nil { burst.firstWaiting = now }
      burst.input = input
    }
    state.burst = burst
    return (nil, old)
  }

  /// Ends the burst in progress, and calls a closure with it under the same lock; if a number is
  /// given, only a burst of that number.
  private func takeBurst<Result>(of number: Int? = nil, _ body: (Burst?) -> Result) -> Result {
    let (burst, result) = state.withLock { state in
      let burst = number == nil || number == state.burst?.number ? state.burst.take() : nil
      return (burst, body(burst))
    }
    burst?.check?.cancel()
    return result
  }

  /// The time at which the burst ends, or at which a call has waited for `maximumWait`, if no other
  /// call comes.
  private func end(
    of lastCall: DelayTimer.Instant, firstWaiting: DelayTimer.Instant
  ) -> DelayTimer.Instant {
    let quiet = lastCall.advanced(by: delay)
    return maximumWait.map { min(quiet, firstWaiting.advanced(by: $0)) } ?? quiet
  }

  /// Schedules the next check of a burst.
  private func look(at instant: DelayTimer.Instant, burst number: Int) {
    let check = timer.perform(at: instant, on: .inline) { [weak self] in self?.look(burst: number) }
    let isNeeded = state.withLock { state in
      guard state.burst?.number == number else { return false }
      state.burst?.check = check
      return true
    }
    if !isNeeded { check.cancel() }
    // Where the timer cancels all of its blocks, nothing else would end the burst.
    check.whenEnded { [weak self] outcome in
      if outcome == .cancelled { self?.takeBurst(of: number) { _ in } }
    }
  }

  /// Checks a burst: sends its input if that has waited long enough, and ends the burst or looks at
  /// it again later.
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
  /// Records a call.
  public func callAsFunction() { self(()) }
}

/// The ends of a burst of calls at which a debounced or throttled closure runs; with no end it
/// never runs.
public struct RateEdges: OptionSet, Sendable, Hashable {
  /// The set's bits, one for each end.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// At the first call.
  public static let leading = RateEdges(rawValue: 1)

  /// At the end of the burst, or of a throttler's interval, with the input of the last call.
  public static let trailing = RateEdges(rawValue: 2)
}

extension Debouncer: ReferenceTable {
  package var label: String { "debouncer" }
  package var contents: Any { state.withLock { $0 } }
}
