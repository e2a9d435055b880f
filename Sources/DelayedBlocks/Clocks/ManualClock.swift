private import CBlockRuntime.TimerThread
private import Synchronization

/// A clock that stands still until it is advanced: for tests that do not sleep.
///
/// Timers made with it run their blocks within `advance(by:)`, on its thread, each at its own time and
/// in order; what is due when it is scheduled runs with the next advance. Blocks that are pending when
/// the clock is dropped stay in memory: cancel them. It is also a `Clock`, whose sleeps end in the same way.
public final class ManualClock: Clock {
  private struct State {
    var time: UInt64 = 0
    /// The thread that runs what is due, or 0.
    var advancingThread: UInt = 0
    var timers: [WeakTimer] = []
  }

  private let state = Mutex(State())

  /// Creates a clock at time zero.
  public init() {}

  /// The clock's time.
  public var now: DelayTimer.Instant { DelayTimer.Instant(nanoseconds: nanoseconds) }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sets the clock forward, and runs what is due on the way, including what such blocks schedule.
  ///
  /// Called by a block that runs within, or while another thread is advancing the clock, it sets the
  /// time forward only, as if the block took so long: the call under way runs what has become due.
  ///
  /// - Parameter duration: How far; a negative duration is none.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: max(duration, .zero))) }

  /// Sets the clock forward to a time, as `advance(by:)` does.
  ///
  /// A time that is past changes nothing.
  public func advance(to instant: DelayTimer.Instant) {
    let isFirst = state.withLock { state in
      guard state.advancingThread != 0 else {
        state.advancingThread = cbr_timer_this_thread()
        return true
      }
      state.time = max(state.time, instant.nanoseconds)
      return false
    }
    guard isFirst else { return }
    while let (timer, due) = moveToNext(upTo: instant.nanoseconds) { timer.run(dueAt: due) }
  }

  /// Returns when the clock has been advanced to a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: DelayTimer.Instant, tolerance: Duration? = nil) async throws {
    let timer = DelayTimer(clock: self, target: .inline)
    let block = timer.perform(at: deadline, tolerance: tolerance ?? .zero) {}
    // Where the clock is there already, no advance may follow.
    if deadline <= now { block.runNow() }
    let end = await block.end
    if end == .cancelled { throw CancellationError() }
  }

  /// Moves to the time of the block that is due first, at most to a time.
  ///
  /// - Returns: The block's timer and time; nil if no block is due by then, and the advance is over.
  private func moveToNext(upTo limit: UInt64) -> (DelayTimer, due: UInt64)? {
    let timers = state.withLock { state in
      state.timers.removeAll { $0.timer == nil }
      return state.timers.compactMap(\.timer)
    }
    let next = timers.compactMap { timer in timer.earliest.map { (timer, $0) } }.min { $0.1 < $1.1 }
    return state.withLock { state in
      let limit = max(limit, state.time)
      guard let (timer, due) = next, due <= limit else {
        state.time = limit
        state.advancingThread = 0
        return nil
      }
      state.time = max(state.time, due)
      return (timer, due)
    }
  }
}

extension ManualClock: TimeSource {
  var nanoseconds: UInt64 { state.withLock { $0.time } }

  var isRunningHere: Bool { state.withLock { $0.advancingThread } == cbr_timer_this_thread() }

  /// Nothing: the clock asks its timers when it is advanced.
  func wake(_ timer: DelayTimer) {}

  /// Asks a timer for what is due from now on.
  func add(_ timer: DelayTimer) {
    state.withLock { $0.timers.append(WeakTimer(timer)) }
  }
}
