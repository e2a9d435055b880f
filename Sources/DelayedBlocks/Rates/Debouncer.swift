private import Synchronization

/// Runs a closure once for a burst of calls: when they have been quiet for a while, at their beginning, or both.
///
/// Calls may come from any thread; the closure never runs under a lock. On a concurrent target a run that takes longer than the
/// delay may overlap with the next: give a serial queue where that matters. Dropping the debouncer frees the
/// closure, and what was to run is not run any more. lodash's `debounce` is the model, with one difference: a run
/// that `maximumWait` forces does not end the burst.
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

  private let delay: Duration
  private let edges: RateEdges
  private let maximumWait: Duration?
  private let timer: DelayTimer
  private let target: DelayTarget
  private let action: @Sendable (Input) -> Void

  /// The burst under way.
  private let burst = Mutex<Burst?>(nil)
  private let burstCount = Atomic(0)

  /// Creates a debouncer.
  ///
  /// - Parameters:
  ///   - delay: How long calls must be quiet; none if it is negative.
  ///   - edges: When the closure runs.
  ///   - maximumWait: How long a call waits for its trailing run at most, while calls go on; nil for as long as they do.
  ///   - timer: Whose time it is.
  ///   - target: Where the closure runs; nil is the timer's own target. Inline, a leading run is on the thread of the call.
  ///   - action: The closure; it gets the input of the last call.
  public init(
    delay: Duration, edges: RateEdges = .trailing, maximumWait: Duration? = nil,
    timer: DelayTimer = .shared, on target: DelayTarget? = nil,
    _ action: @escaping @Sendable (Input) -> Void
  ) {
    self.delay = delay
    self.edges = edges
    self.maximumWait = maximumWait
    self.timer = timer
    self.target = target ?? timer.target
    self.action = action
  }

  deinit { burst.withLock { $0?.check }?.cancel() }

  /// Notes a call.
  public func callAsFunction(_ input: Input) {
    let now = timer.now
    let begun = burst.withLock { burst -> Int? in
      guard burst != nil else {
        let number = burstCount.add(1, ordering: .relaxed).newValue
        let waiting = edges == .trailing ? input : nil
        burst = Burst(input: waiting, lastCall: now, firstWaiting: now, number: number)
        return number
      }
      burst?.lastCall = now
      guard edges.contains(.trailing) else { return nil }
      if burst?.input == nil { burst?.firstWaiting = now }
      burst?.input = input
      return nil
    }
    guard let begun else { return }
    if edges.contains(.leading) { run(input) }
    look(at: end(of: now, firstWaiting: now), burst: begun)
  }

  /// Ends the burst; what has not run yet is dropped.
  ///
  /// - Returns: Whether this call prevented a run.
  @discardableResult
  public func cancel() -> Bool {
    let ended = takeBurst()
    return ended?.input != nil
  }

  /// Ends the burst, and runs what has not run yet now.
  ///
  /// - Returns: Whether there was something.
  @discardableResult
  public func flush() -> Bool {
    guard let input = takeBurst()?.input else { return false }
    run(input)
    return true
  }

  /// Whether a call waits for its run.
  public var isPending: Bool { burst.withLock { $0?.input != nil } }

  private func takeBurst() -> Burst? {
    let taken = burst.withLock { burst in
      defer { burst = nil }
      return burst
    }
    taken?.check?.cancel()
    return taken
  }

  /// When a burst ends or a call has waited long enough, if no other call comes.
  private func end(
    of lastCall: DelayTimer.Instant, firstWaiting: DelayTimer.Instant
  ) -> DelayTimer.Instant {
    let quiet = lastCall.advanced(by: max(delay, .zero))
    guard let maximumWait else { return quiet }
    return min(quiet, firstWaiting.advanced(by: max(maximumWait, .zero)))
  }

  private func look(at instant: DelayTimer.Instant, burst number: Int) {
    let check = timer.perform(at: instant, on: .inline) { [weak self] in self?.look(burst: number) }
    let isNeeded = burst.withLock { burst in
      guard burst?.number == number else { return false }
      burst?.check = check
      return true
    }
    if !isNeeded { check.cancel() }
  }

  private func look(burst number: Int) {
    let now = timer.now
    let (input, next) = burst.withLock { burst -> (Input?, DelayTimer.Instant?) in
      guard var current = burst, current.number == number else { return (nil, nil) }
      let quiet = current.lastCall.advanced(by: max(delay, .zero))
      let end =
        current.input == nil
        ? quiet : self.end(of: current.lastCall, firstWaiting: current.firstWaiting)
      guard end <= now else { return (nil, end) }
      let input = current.input
      current.input = nil
      burst = quiet <= now ? nil : current
      return (input, quiet <= now ? nil : quiet)
    }
    if let input { run(input) }
    if let next { look(at: next, burst: number) }
  }

  private func run(_ input: Input) { target.run { [action] in action(input) } }
}

extension Debouncer where Input == Void {
  /// Notes a call.
  public func callAsFunction() { self(()) }
}
