/// A timer's clock, which also calls the timer when its next block is due.
protocol TimeSource: AnyObject, Sendable {
  /// The time, in nanoseconds; it never goes back.
  var nanoseconds: UInt64 { get }

  /// Has the timer's `runDue()` called soon, and from then on at the times that it returns.
  ///
  /// Called on any thread, while no lock is held, when a block is due earlier than the time that
  /// `runDue()` last returned, or when `runDue()` has not been called yet.
  func wake(_ timer: DelayTimer)

  /// Called when a timer of the source is destroyed, to end what waits for its next block.
  func timerEnded()

  /// Whether the calling thread is the one that runs the due blocks of the source's timers, so that
  /// none can run during a wait.
  var isRunningHere: Bool { get }
}

extension TimeSource {
  /// Does nothing, for a source without a task that waits.
  func timerEnded() {}

  /// False: the timer itself notes the thread on which its due blocks run.
  var isRunningHere: Bool { false }
}

/// A source's weak reference to a timer.
struct WeakTimer: Sendable {
  weak let timer: DelayTimer?

  init(_ timer: DelayTimer) { self.timer = timer }
}
