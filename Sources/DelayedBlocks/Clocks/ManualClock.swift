internal import BlockRuntimeThreads
private import CDelayedBlocks.TimerThread

/// A clock that stands still until it is advanced: for tests that do not sleep.
///
/// Timers made with it run their blocks within `advance(by:)`, on its thread, each at its own time and
/// in order, also what they schedule for then; what becomes due between two advances runs with the next.
/// Blocks that are pending when the clock is dropped stay in memory: cancel them. It is also a
/// `Clock`, whose sleeps end in the same way; `sleeperCount` tells when there is something to advance.
public final class ManualClock: Clock {
  private struct State {
    var time: UInt64 = 0
    /// The thread that runs what is due, or 0.
    var advancingThread: UInt = 0
    /// How often another advance set the time of the one under way.
    var interruptions = 0
    var timers: [WeakTimer] = []
    var sleepers = Sleepers()
  }

  private let state = Locked(State())

  /// Creates a clock at time zero.
  public init() {}

  /// The clock's time.
  public var now: DelayTimer.Instant { DelayTimer.Instant(nanoseconds: nanoseconds) }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// How many tasks sleep by the clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  // MARK: Advancing

  /// Sets the clock forward, and runs what is due on the way, including what such blocks schedule.
  ///
  /// Called by a block that runs within, or while another thread is advancing the clock, it sets the
  /// time forward only, as if the block took so long: the call under way runs what has become due.
  ///
  /// - Parameter duration: How far; a negative duration is none.
  public func advance(by duration: Duration) {
    advance(to: duration < .zero ? now : now.advanced(by: duration))
  }

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
      state.interruptions += 1
      return false
    }
    guard isFirst else { return }
    while let next = moveToNext(upTo: instant.nanoseconds) { next() }
  }

  /// Moves to the time of what is due first, at most to a time.
  ///
  /// - Returns: What to do there; nil if nothing is due by then, and the advance is over.
  private func moveToNext(upTo limit: UInt64) -> (() -> Void)? {
    // The timers are looked at under no lock: a last reference to one may be given up here.
    let (weakTimers, interruptions) = state.withLock { ($0.timers, $0.interruptions) }
    let timers = weakTimers.compactMap(\.timer)
    if timers.count < weakTimers.count {
      state.withLock { $0.timers.removeAll { $0.timer == nil } }
    }
    let first = timers.compactMap { timer in timer.earliest.map { (timer, due: $0) } }
      .min { $0.due < $1.due }
    return state.withLock { state in
      // Whoever advanced meanwhile may have scheduled something before, which nobody else runs.
      guard state.interruptions == interruptions else { return {} }
      let limit = max(limit, state.time)
      if let due = state.sleepers.earliest, due <= min(limit, first?.due ?? limit) {
        state.time = max(state.time, due)
        let sleeper = state.sleepers.removeFirst()
        return { sleeper?.resume() }
      }
      guard let (timer, due) = first, due <= limit else {
        state.time = limit
        state.advancingThread = 0
        return nil
      }
      state.time = max(state.time, due)
      return { timer.run(dueAt: due) }
    }
  }

  // MARK: Sleeping

  /// Returns when the clock has been advanced to a time; at once, if it is there already.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: DelayTimer.Instant, tolerance: Duration? = nil) async throws {
    let key = state.withLock { $0.sleepers.makeKey() }
    // A cancellation may come when the sleep is over.
    defer { _ = end(key) }
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      try await withCheckedThrowingContinuation { (continuation: Sleepers.Continuation) in
        let isAsleep = state.withLock { state in
          guard deadline.nanoseconds > state.time else { return false }
          return state.sleepers.add(continuation, key, until: deadline.nanoseconds)
        }
        if !isAsleep { continuation.resume(with: end(key)) }
      }
    } onCancel: {
      state.withLock { $0.sleepers.cancel(key) }?.resume(throwing: CancellationError())
    }
  }

  /// How a sleep ends that does not begin; its key is forgotten.
  private func end(_ key: Int) -> Result<Void, any Error> {
    state.withLock { $0.sleepers.forget(key) } ? .failure(CancellationError()) : .success(())
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
