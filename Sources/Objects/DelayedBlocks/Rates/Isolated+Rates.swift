public import IsolatedClosures

extension Isolated where Base == DelayTimer {
  /// Creates a debouncer whose closure need not be `Sendable`.
  ///
  /// The closure runs where `perform(after:tolerance:_:)` says: on the actor, or inline with a
  /// `ManualClock`. It is freed there too. The parameters are those of `Debouncer`.
  ///
  /// ```swift
  /// @MainActor final class Search {
  ///   var results: [String] = []
  ///   private var search: Debouncer<String>?
  ///   func start() {
  ///     search = isolated(DelayTimer.shared).debouncer(delay: .milliseconds(300)) {
  ///       [weak self] text in self?.results = [text]
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: The debouncer. In a scope its closure runs only with a `ManualClock`, and until the
  ///   scope ends; with other clocks the error `wrongExecutor` is written to standard error.
  public func debouncer<Input: Sendable>(
    delay: Duration, edges: RateEdges = .trailing, maximumWait: Duration? = nil,
    _ action: @escaping (Input) -> Void
  ) -> Debouncer<Input> {
    let action = rated(action)
    return Debouncer(
      delay: delay, edges: edges, maximumWait: maximumWait, timer: base, on: rateTarget, action)
  }

  /// Creates a debouncer of calls without an input.
  ///
  /// Everything else is as with an input.
  public func debouncer(
    delay: Duration, edges: RateEdges = .trailing, maximumWait: Duration? = nil,
    _ action: @escaping () -> Void
  ) -> Debouncer<Void> {
    debouncer(delay: delay, edges: edges, maximumWait: maximumWait) { (_: Void) in action() }
  }

  /// Creates a throttler whose closure need not be `Sendable`.
  ///
  /// The closure runs where `perform(after:tolerance:_:)` says: on the actor, or inline with a
  /// `ManualClock`. It is freed there too. The parameters are those of `Throttler`.
  ///
  /// - Returns: The throttler, by the same rules as a debouncer.
  public func throttler<Input: Sendable>(
    interval: Duration, edges: RateEdges = [.leading, .trailing],
    _ action: @escaping (Input) -> Void
  ) -> Throttler<Input> {
    let action = rated(action)
    return Throttler(interval: interval, edges: edges, timer: base, on: rateTarget, action)
  }

  /// Creates a throttler of calls without an input.
  ///
  /// Everything else is as with an input.
  public func throttler(
    interval: Duration, edges: RateEdges = [.leading, .trailing], _ action: @escaping () -> Void
  ) -> Throttler<Void> {
    throttler(interval: interval, edges: edges) { (_: Void) in action() }
  }

  /// The closure as one that any thread may hold, and that runs where it belongs.
  private func rated<Input: Sendable>(
    _ action: @escaping (Input) -> Void
  ) -> @Sendable (Input) -> Void {
    guard target != nil else {
      reportHandlerError(unreachable)
      return { _ in }
    }
    let closure = closure(action)
    return { input in closure.report { $0(input) } }
  }

  /// Where the closure runs; where nothing can run it, it does nothing.
  private var rateTarget: DelayTarget { target ?? .inline }
}
