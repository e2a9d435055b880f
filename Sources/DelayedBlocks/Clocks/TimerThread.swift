private import CDelayedBlocks.TimerThread
private import Synchronization

/// The monotonic clock of the system, with a thread that starts with the first block.
///
/// The thread sleeps until a block is due, for ever where none is pending, and lives as long as the
/// process: only shared timers have one.
@safe final class TimerThread: TimeSource {
  /// Changes when the thread has to look again.
  // SAFETY: only the functions of C touch it, in atomic steps.
  private nonisolated(unsafe) let gate: UnsafeMutablePointer<UInt32>

  private let isStarted = Atomic<Bool>(false)

  init() {
    // SAFETY: the memory is the source's, which is never freed.
    unsafe gate = .allocate(capacity: 1)
    unsafe gate.initialize(to: 0)
    cbr_timer_watch_forks()
  }

  var nanoseconds: UInt64 { cbr_timer_now() }

  func wake(_ timer: DelayTimer) {
    guard isStarted.load(ordering: .acquiring) || !start(timer) else { return }
    // SAFETY: the memory is the source's.
    unsafe cbr_timer_gate_open(gate)
  }

  /// Starts the thread, if nobody else does.
  ///
  /// Where the system has no thread to give, the next block tries again.
  ///
  /// - Returns: Whether this call did, or tried to.
  private func start(_ timer: DelayTimer) -> Bool {
    let (isMine, _) = isStarted.compareExchange(
      expected: false, desired: true, ordering: .acquiringAndReleasing)
    guard isMine else { return false }
    let body: @convention(c) (UnsafeMutableRawPointer) -> Void = { context in
      // SAFETY: the context is the timer below, which is never freed.
      let timer = unsafe Unmanaged<DelayTimer>.fromOpaque(context).takeUnretainedValue()
      (timer.source as? TimerThread)?.run(timer)
    }
    let context = unsafe Unmanaged.passRetained(timer)
    if unsafe !cbr_timer_thread_start(body, context.toOpaque()) {
      unsafe context.release()
      isStarted.store(false, ordering: .releasing)
      timer.alarmFailed()
    }
    return true
  }

  private func run(_ timer: DelayTimer) {
    let forks = cbr_timer_forks()
    while true {
      // SAFETY: the memory is the source's. What opens the gate from here on keeps it from waiting.
      let seen = unsafe cbr_timer_gate_read(gate)
      let next = timer.runDue()
      // A block may have forked: then this is another process, and the timer its parent's.
      guard cbr_timer_forks() == forks else { return }
      unsafe cbr_timer_gate_wait(gate, seen, next ?? .max)
    }
  }
}
