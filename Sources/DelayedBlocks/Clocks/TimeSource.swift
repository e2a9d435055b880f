/// What tells a timer the time, and calls it when its next block is due.
protocol TimeSource: AnyObject, Sendable {
  /// The time, in nanoseconds; it never goes back.
  var nanoseconds: UInt64 { get }

  /// Sees to it that `runDue()` is called soon, and then whenever it has asked to be.
  ///
  /// Called under no lock, on any thread, when a block became due before the time that `runDue()`
  /// returned last, also before its first call.
  func wake(_ timer: DelayTimer)

  /// A timer of the source is gone: nobody waits any more for what it was woken for.
  func timerEnded()

  /// Whether blocks of the source's timers run on the calling thread, so that no other can meanwhile.
  var isRunningHere: Bool { get }
}

extension TimeSource {
  /// Nothing: a source that has no task for a timer goes with it.
  func timerEnded() {}

  /// No: the timer knows its thread by itself.
  var isRunningHere: Bool { false }
}

/// A timer that its source does not keep alive.
struct WeakTimer: Sendable {
  weak let timer: DelayTimer?

  init(_ timer: DelayTimer) { self.timer = timer }
}
