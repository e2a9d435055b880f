internal import BlockRuntimeThreads
private import CDelayedBlocks.TimerThread
private import Synchronization

/// Runs blocks at their times, by one clock, with one timing wheel for all pending blocks and one
/// thread or task that waits for the next of them.
///
/// Scheduling and cancelling take constant time, amortised, however many blocks are pending: a
/// million blocks that are due within the same minute are redistributed once, in about ten
/// milliseconds, shortly before. The timer wakes up only for blocks that are due, except once for a
/// next block that was cancelled. Pending blocks and their timer retain each other.
public final class DelayTimer: Sendable {
  fileprivate struct Pending: ~Copyable {
    var wheel: TimingWheel
    /// When the source calls `runDue()` next, unless it is woken before.
    var alarm: UInt64 = .max
    /// The closures to call at the ends of blocks that have not ended.
    var endHandlers: [ObjectIdentifier: EndHandlers] = [:]
  }

  let source: any TimeSource

  /// Whether the timer lives as long as the process, so that its blocks need not retain it.
  let isImmortal: Bool

  private let pending: Locked<Pending>

  /// The thread that is running due blocks, or 0.
  private let firing = Atomic<UInt>(0)

  /// The target of blocks that are scheduled without one.
  public let target: DelayTarget

  init(source: any TimeSource, target: DelayTarget) {
    self.source = source
    self.target = target
    isImmortal = source is TimerThread
    pending = Locked(Pending(wheel: TimingWheel(time: source.nanoseconds)))
  }

  deinit { source.timerEnded() }

  // MARK: Clocks

  private static let first = DelayTimer(source: TimerThread(), target: .concurrent)

  /// The shared timers of forked children, by the number of forks (`cbr_timer_forks`).
  private static let inChildren = Locked<[UInt32: DelayTimer]>([:])

  /// The timer of the process, on the system's monotonic clock, which stops while the system is
  /// suspended.
  ///
  /// It has one thread, which starts with the first block. The child of a fork has a shared timer
  /// of its own, without blocks: those of its parent do not run there, and their tokens must not be
  /// used there.
  public static var shared: DelayTimer {
    let forks = cbr_timer_forks()
    return forks == 0 ? first : inChild(forks)
  }

  /// The shared timer of a forked child; out of line because it is rarely needed.
  @inline(never)
  private static func inChild(_ forks: UInt32) -> DelayTimer {
    inChildren.withLock { timers in
      if let timer = timers[forks] { return timer }
      let timer = DelayTimer(source: TimerThread(), target: .concurrent)
      timers[forks] = timer
      return timer
    }
  }

  /// Creates a timer that is driven by any clock, such as `ContinuousClock`, which continues while
  /// the system is suspended.
  ///
  /// - Parameters:
  ///   - clock: The clock; a task sleeps by it, and ends when no block is pending or the timer is
  ///     destroyed. Its time must not go back.
  ///   - target: The target of blocks that are scheduled without one; nil is `concurrent`, or, for
  ///     a `ManualClock`, `inline`.
  public convenience init<Source: Clock>(clock: Source, on target: DelayTarget? = nil)
  where Source.Duration == Duration {
    if let clock = clock as? ManualClock {
      self.init(clock: clock, on: target ?? .inline)
    } else {
      self.init(source: ClockSource(clock), target: target ?? .concurrent)
    }
  }

  /// Creates a timer that runs its blocks when a clock is advanced.
  ///
  /// - Parameters:
  ///   - clock: The clock; several timers may share it.
  ///   - target: The target of blocks that are scheduled without one; by default they run on the
  ///     thread that advances the clock.
  public convenience init(clock: ManualClock, on target: DelayTarget = .inline) {
    self.init(source: clock, target: target)
    clock.add(self)
  }

  /// The time by the timer's clock.
  public var now: Instant {
    // Fast path of the shared timer: reads its clock without a call through the protocol.
    Instant(nanoseconds: isImmortal ? cbr_timer_now() : source.nanoseconds)
  }

  /// The number of blocks that are waiting for their times.
  public var pendingCount: Int { pending.withLock { $0.wheel.count } }

  /// Cancels all blocks that are waiting for their times, for example at the end of a test.
  ///
  /// Blocks that are scheduled during the call may remain, also those that are scheduled by deinits
  /// and end handlers that this runs.
  ///
  /// - Returns: The number of blocks that this call prevented from running.
  @discardableResult
  public func cancelAll() -> Int {
    let blocks = pending.withLock { $0.wheel.blocks }
    return blocks.count { $0.cancel() }
  }

  // MARK: Scheduling

  /// Adds a new block, which no other thread refers to yet.
  func add(_ block: DelayedBlock) {
    let link = unsafe Unmanaged.passRetained(block)
    let needsWake = pending.withLock { pending in
      // SAFETY: the reference retained above becomes the wheel's.
      unsafe pending.wheel.add(link)
      return unsafe pending.lowerAlarm(to: block.due)
    }
    if needsWake { source.wake(self) }
  }

  /// Makes a running block pending again, in its place, unless it is stopping.
  ///
  /// - Returns: Whether the block is pending.
  func addAgain(_ block: DelayedBlock, at instant: UInt64) -> Bool {
    var isPending = false
    let needsWake = pending.withLock { pending in
      isPending = block.becomePending()
      return isPending && pending.move(block, to: instant, again: true)
    }
    if needsWake { source.wake(self) }
    return isPending
  }

  /// Moves a pending block to a time, behind all others that are due at that time.
  ///
  /// - Returns: False if the block is not pending.
  func move(_ block: DelayedBlock, to instant: UInt64) -> Bool {
    var isPending = false
    let needsWake = pending.withLock { pending in
      isPending = block.beginGeneration()
      guard isPending else { return false }
      block.didMove(to: instant)
      return pending.move(block, to: instant)
    }
    if needsWake { source.wake(self) }
    return isPending
  }

  /// Takes a block that must not run any more out of the wheel.
  ///
  /// - Returns: The wheel's reference, which the caller releases; nil if the block was not linked.
  func withdraw(_ block: DelayedBlock) -> Unmanaged<DelayedBlock>? {
    unsafe pending.withLock { pending in
      guard unsafe block.isLinked else { return nil }
      pending.wheel.remove(block)
      return unsafe Unmanaged.passUnretained(block)
    }
  }

  /// Runs a closure under the lock that guards the wheel and the blocks' links.
  func withWheel<Result>(_ body: () -> Result) -> Result { pending.withLock { _ in body() } }

  /// Runs a closure with the end handlers of all blocks, under the same lock.
  func withEndHandlers<Result>(
    _ body: (inout [ObjectIdentifier: EndHandlers]) -> Result
  ) -> Result { pending.withLock { body(&$0.endHandlers) } }

  /// The timer, for storage in a block; retained, unless it is immortal.
  func forBlock() -> Unmanaged<DelayTimer> {
    unsafe isImmortal ? .passUnretained(self) : .passRetained(self)
  }

  // MARK: Running

  /// When the next block is due; earlier, if a block that was due before has been cancelled.
  var earliest: UInt64? { pending.withLock { $0.wheel.earliest } }

  /// Whether the calling thread is the one that runs due blocks, so that none can run during a
  /// wait.
  var isFiringHere: Bool {
    firing.load(ordering: .relaxed) == cbr_timer_this_thread() || source.isRunningHere
  }

  /// Runs all blocks that are due, or sends them to their targets, in the order of their times.
  ///
  /// It is called by the source only, by one thread at a time.
  ///
  /// - Returns: When to call it again, unless the source is woken before; nil for never.
  func runDue() -> UInt64? {
    let forks = cbr_timer_forks()
    var now = source.nanoseconds
    while true {
      run(dueAt: now)
      if isImmortal, cbr_timer_forks() != forks { return nil }
      // Blocks that became due in the meantime run before the source sleeps.
      let next = pending.withLock { pending in
        pending.alarm = pending.wheel.earliest ?? .max
        return pending.alarm
      }
      now = source.nanoseconds
      if next > now { return next == .max ? nil : next }
    }
  }

  /// Runs all blocks that are due at or before a time, as `runDue()` does.
  func run(dueAt now: UInt64) {
    let forks = cbr_timer_forks()
    firing.store(cbr_timer_this_thread(), ordering: .relaxed)
    defer { firing.store(0, ordering: .relaxed) }
    while let (block, generation, target) = removeFirst(dueAt: now) {
      block.send(generation, to: target)
      // The block may have forked: in the child, the rest of the blocks are the parent's.
      if isImmortal, cbr_timer_forks() != forks { return }
    }
  }

  /// Notes that the source could not be woken, so that the next block wakes it again.
  func alarmFailed() { pending.withLock { $0.alarm = .max } }

  private func removeFirst(
    dueAt now: UInt64
  ) -> (DelayedBlock, generation: UInt32, DelayTarget)? {
    pending.withLock { pending in
      guard let link = unsafe pending.wheel.removeFirst(dueAt: now) else { return nil }
      // SAFETY: the wheel gave its reference to the caller, which balances it here.
      let block = unsafe link.takeRetainedValue()
      return (block, block.status.generation, block.target)
    }
  }
}

extension DelayTimer.Pending {
  /// Lowers the alarm to the time of a block, if that is earlier.
  ///
  /// - Returns: Whether the source must be woken.
  fileprivate mutating func lowerAlarm(to due: UInt64) -> Bool {
    guard due < alarm else { return false }
    alarm = due
    return true
  }

  /// Moves a block to a time, whether it is linked or not.
  ///
  /// - Returns: Whether the source must be woken.
  fileprivate mutating func move(
    _ block: DelayedBlock, to instant: UInt64, again: Bool = false
  ) -> Bool {
    if unsafe block.isLinked {
      wheel.remove(block)
    } else {
      // The wheel's new reference: its old one went to the caller that took the block out.
      _ = unsafe Unmanaged.passRetained(block)
    }
    unsafe block.due = roundTime(from: instant, tolerance: block.tolerance)
    // SAFETY: the wheel's reference is the one retained above, or the one of the removed link.
    unsafe wheel.add(.passUnretained(block), again: again)
    return unsafe lowerAlarm(to: block.due)
  }
}

extension DelayTimer: ReferenceTable {
  package var label: String { "delay timer" }
  package var contents: Any { pending.withLock { ($0.wheel.blocks, $0.endHandlers) } }
}
