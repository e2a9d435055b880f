internal import BlockRuntimeThreads

/// A time source with any clock, and a task that sleeps until a block is due and ends when none is
/// pending.
final class ClockSource<Source: Clock>: TimeSource where Source.Duration == Duration {
  private struct State {
    /// Whether the task exists.
    var isAwake = false
    /// How often the task was asked to check the timer again.
    var wakeCount = 0
    /// The task's sleep.
    var sleep: Task<Void, Never>?
  }

  private let clock: Source
  private let zero: Source.Instant
  private let state = Locked(State())

  init(_ clock: Source) {
    self.clock = clock
    zero = clock.now
  }

  var nanoseconds: UInt64 { zero.duration(to: clock.now).wholeNanoseconds }

  func wake(_ timer: DelayTimer) {
    let (sleep, isAwake) = state.withLock { state in
      state.wakeCount += 1
      defer { state.isAwake = true }
      return (state.sleep, state.isAwake)
    }
    if isAwake {
      sleep?.cancel()
    } else {
      Task.detached { [source = WeakTimer(timer)] in await self.run(source) }
    }
  }

  /// Wakes the task, which finds no timer, and ends.
  func timerEnded() {
    let sleep = state.withLock { state in
      state.wakeCount += 1
      return state.sleep
    }
    sleep?.cancel()
  }

  private func run(_ weak: WeakTimer) async {
    while true {
      let seen = state.withLock { $0.wakeCount }
      guard let next = weak.timer?.runDue() else {
        let isDone = state.withLock { state in
          guard state.wakeCount == seen else { return false }
          state.isAwake = false
          return true
        }
        if isDone { return }
        continue
      }
      let sleep = Task.detached { [clock, zero] in
        let due = zero.advanced(by: Duration(attoseconds: Int128(next) * 1_000_000_000))
        // A cancelled sleep makes the task check the timer again. A clock that fails otherwise, or
        // returns too early, must not make it spin.
        try? await clock.sleep(until: due, tolerance: .zero)
        if !Task.isCancelled, clock.now < due { try? await Task.sleep(for: .milliseconds(1)) }
      }
      let isCurrent = state.withLock { state in
        state.sleep = sleep
        return state.wakeCount == seen
      }
      if !isCurrent { sleep.cancel() }
      await sleep.value
    }
  }
}
