private import Dispatch

/// What ends the wait for a decision.
package struct InterceptionTimer: Sendable {
  /// A running timer.
  package struct Token: Sendable {
    private let stop: @Sendable () -> Void

    package init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    /// Stops the timer and lets go of what it would run.
    func cancel() { stop() }
  }

  /// Runs a closure once after a time, on any thread.
  let start: @Sendable (Duration, @escaping @Sendable () -> Void) -> Token

  package init(
    start: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Token
  ) {
    self.start = start
  }

  /// libdispatch's timers, on its global queue.
  static let dispatch = InterceptionTimer { duration, body in
    // Without a queue of this kind libdispatch would start a thread for every timer.
    let source = DispatchSource.makeTimerSource(queue: .global())
    source.setEventHandler(handler: body)
    let (seconds, attoseconds) = duration.components
    source.schedule(
      deadline: .now() + .nanoseconds(Int(clamping: attoseconds / 1_000_000_000))
        + .seconds(Int(clamping: min(seconds, 1_000_000_000))))
    source.activate()
    // SAFETY: sources are made to be cancelled from any thread.
    nonisolated(unsafe) let timer = source
    return Token { unsafe timer.cancel() }
  }
}
