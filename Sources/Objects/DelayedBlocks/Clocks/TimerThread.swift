internal import BlockRuntimeThreads
private import CDelayedBlocks.TimerThread
private import Synchronization

/// The monotonic clock of the system, with a thread that starts with the first block.
///
/// The thread sleeps until a block is due, for ever if none is pending, and lives as long as the
/// process: only shared timers have one.
@safe final class TimerThread: TimeSource {
  // SAFETY: allocated by the initialiser and never freed; only C reads and writes it, atomically.
  /// The futex word of the gate: changed when the thread must check the timer again.
  private nonisolated(unsafe) let gate: UnsafeMutablePointer<UInt32>

  private let isStarted = Atomic<Bool>(false)

  init() {
    // SAFETY: the memory is initialised here, before any thread uses it.
    unsafe gate = .allocate(capacity: 1)
    unsafe gate.initialize(to: 0)
    cbr_timer_watch_forks()
  }

  var nanoseconds: UInt64 { cbr_timer_now() }

  func wake(_ timer: DelayTimer) {
    guard isStarted.load(ordering: .acquiring) || !start(timer) else { return }
    // SAFETY: the gate is initialised, and is never freed.
    unsafe cbr_timer_gate_open(gate)
  }

  /// Starts the thread, unless another call does.
  ///
  /// If the system cannot create a thread, the next block tries again.
  ///
  /// - Returns: Whether this call started it, or failed to.
  private func start(_ timer: DelayTimer) -> Bool {
    let (isMine, _) = isStarted.compareExchange(
      expected: false, desired: true, ordering: .acquiringAndReleasing)
    guard isMine else { return false }
    let body: @convention(c) (UnsafeMutableRawPointer) -> Void = { context in
      // SAFETY: the context is the timer that is retained below; the thread never releases it.
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
      // The gate is read before the blocks are run: if it opens after this, the wait returns at
      // once. SAFETY: the gate is initialised, and is never freed.
      let seen = unsafe cbr_timer_gate_read(gate)
      let next = timer.runDue()
      // A block may have forked: in the child, this timer is the parent's.
      guard cbr_timer_forks() == forks else { return }
      unsafe cbr_timer_gate_wait(gate, seen, next ?? .max)
    }
  }
}

extension TimerThread: ReferenceTable {}
