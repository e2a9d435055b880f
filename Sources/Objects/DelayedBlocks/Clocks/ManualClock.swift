internal import BlockRuntimeThreads
private import CDelayedBlocks.TimerThread

/// A clock whose time changes only when it is advanced, for tests that do not sleep.
///
/// Its timers run their blocks within `advance(by:)`, on the calling thread, in order and each at
/// its own time, including blocks that these schedule; what becomes due between two advances runs
/// with the next. Blocks that are pending when the clock is released stay in memory: cancel them.
/// It is also a `Clock`, whose sleeps end in the same way; `sleeperCount` shows whether a task
/// waits for an advance.
public final class ManualClock: Clock {
  private struct State {
    var time: UInt64 = 0
    /// The thread that is advancing the clock and runs what is due, or 0.
    var advancingThread: UInt = 0
    /// How often another call set the time during the advance in progress.
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

  /// The number of tasks that sleep by the clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  // MARK: Advancing

  /// Sets the clock forward, and runs all blocks that become due, including those that such blocks
  /// schedule.
  ///
  /// A call by a block that such an advance runs, or while another thread is advancing the clock,
  /// only sets the time forward, as if the block took that long: the advance in progress runs what
  /// has become due.
  ///
  /// - Parameter duration: The duration; a negative one counts as zero.
  public func advance(by duration: Duration) {
    advance(to: duration < .zero ? now : now.advanced(by: duration))
  }

  /// Sets the clock forward to a time, as `advance(by:)` does.
  ///
  /// A time in the past changes nothing.
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

  /// Sets the time to that of the block or sleep that is due first, at most to a limit.
  ///
  /// - Returns: A closure that runs it; nil if none is due by then, and the advance is over.
  private func moveToNext(upTo limit: UInt64) -> (() -> Void)? {
    // The timers are retained while no lock is held: the last reference to one may be released
    // here.
    let (weakTimers, interruptions) = state.withLock { ($0.timers, $0.interruptions) }
    let timers = weakTimers.compactMap(\.timer)
    if timers.count < weakTimers.count {
      state.withLock { $0.timers.removeAll { $0.timer == nil } }
    }
    let first = timers.compactMap { timer in timer.earliest.map { (timer, due: $0) } }
      .min { $0.due < $1.due }
    return state.withLock { state in
      // The caller of another advance may have scheduled an earlier block, which only this one
      // runs.
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

  /// Sleeps until the clock has been advanced to a time; returns at once if that is past.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: DelayTimer.Instant, tolerance: Duration? = nil) async throws {
    let key = state.withLock { $0.sleepers.makeKey() }
    // Forgets a cancellation that comes after the sleep.
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

  /// Forgets the key of a sleep, and returns its result: a failure if it was cancelled.
  private func end(_ key: Int) -> Result<Void, any Error> {
    state.withLock { $0.sleepers.forget(key) } ? .failure(CancellationError()) : .success(())
  }
}

extension ManualClock: TimeSource {
  var nanoseconds: UInt64 { state.withLock { $0.time } }

  var isRunningHere: Bool { state.withLock { $0.advancingThread } == cbr_timer_this_thread() }

  /// Does nothing: the clock asks its timers when it is advanced.
  func wake(_ timer: DelayTimer) {}

  /// Adds a timer whose blocks run when the clock is advanced.
  func add(_ timer: DelayTimer) {
    state.withLock { $0.timers.append(WeakTimer(timer)) }
  }
}

extension ManualClock: ReferenceTable {}
