internal import BlockRuntimeThreads
private import CDelayedBlocks.TimerThread
private import Synchronization

/// Runs blocks at their times: one clock, one timing wheel for all that is pending, and one place
/// that waits for the next of them.
///
/// Scheduling and cancelling take constant time, amortised, however many blocks are pending: a million
/// that are due within the same minute are once sorted anew, in about ten milliseconds, when that comes
/// near. Nothing wakes up where nothing is due, save once for a block that was next and was cancelled.
/// Pending blocks keep their timer alive, and it keeps them.
public final class DelayTimer: Sendable {
  fileprivate struct Pending: ~Copyable {
    var wheel: TimingWheel
    /// When the source calls `runDue()` without being told.
    var alarm: UInt64 = .max
    /// Who is told of the ends of blocks that have not ended.
    var endHandlers: [ObjectIdentifier: EndHandlers] = [:]
  }

  let source: any TimeSource

  /// Whether the timer lives as long as the process, so that its blocks need not retain it.
  let isImmortal: Bool

  private let pending: Locked<Pending>

  /// The thread that runs blocks which are due, or 0.
  private let firing = Atomic<UInt>(0)

  /// Where blocks run that do not say it.
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

  /// The timers of processes that were forked on the way here, by how often.
  private static let inChildren = Locked<[UInt32: DelayTimer]>([:])

  /// The timer of the process, on the system's monotonic clock, which stands still while the system is suspended.
  ///
  /// It has one thread, which starts with the first block. The child of a fork has a shared timer of its
  /// own, without blocks: those of its parent do not run there, and their tokens must not be used there.
  public static var shared: DelayTimer {
    let forks = cbr_timer_forks()
    return forks == 0 ? first : inChild(forks)
  }

  /// The timer of a process that was forked; out of line, for most are not.
  @inline(never)
  private static func inChild(_ forks: UInt32) -> DelayTimer {
    inChildren.withLock { timers in
      if let timer = timers[forks] { return timer }
      let timer = DelayTimer(source: TimerThread(), target: .concurrent)
      timers[forks] = timer
      return timer
    }
  }

  /// Creates a timer that is driven by any clock, such as `ContinuousClock`, which goes on while the system is
  /// suspended.
  ///
  /// - Parameters:
  ///   - clock: Tells the time and sleeps, in a task that ends when nothing is pending, or the timer is
  ///     dropped. Its time must not go back.
  ///   - target: Where blocks run that do not say it; nil is `concurrent`, for a `ManualClock` `inline`.
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
  ///   - target: Where blocks run that do not say it: by default on the thread that advances the clock.
  public convenience init(clock: ManualClock, on target: DelayTarget = .inline) {
    self.init(source: clock, target: target)
    clock.add(self)
  }

  /// The time by the timer's clock.
  public var now: Instant {
    // Most timers are the shared one: its clock is read without asking the source.
    Instant(nanoseconds: isImmortal ? cbr_timer_now() : source.nanoseconds)
  }

  /// How many blocks are waiting for their time.
  public var pendingCount: Int { pending.withLock { $0.wheel.count } }

  /// Cancels all blocks that are waiting for their time, for the end of a test or a server.
  ///
  /// Blocks that are scheduled meanwhile, also by what is freed or told here, may remain.
  ///
  /// - Returns: How many it prevented from running.
  @discardableResult
  public func cancelAll() -> Int {
    let blocks = pending.withLock { $0.wheel.blocks }
    return blocks.count { $0.cancel() }
  }

  // MARK: Scheduling

  /// Adds a block that nobody else knows yet.
  func add(_ block: DelayedBlock) {
    let link = unsafe Unmanaged.passRetained(block)
    let needsWake = pending.withLock { pending in
      // SAFETY: the reference above is the wheel's.
      unsafe pending.wheel.add(link)
      return unsafe pending.lowerAlarm(to: block.due)
    }
    if needsWake { source.wake(self) }
  }

  /// Makes a block that is running pending again, in its place, unless it is to stop.
  ///
  /// - Returns: Whether it is pending.
  func addAgain(_ block: DelayedBlock, at instant: UInt64) -> Bool {
    var isPending = false
    let needsWake = pending.withLock { pending in
      isPending = block.becomePending()
      return isPending && pending.move(block, to: instant, again: true)
    }
    if needsWake { source.wake(self) }
    return isPending
  }

  /// Moves a block that is pending, behind all others that are due then.
  ///
  /// - Returns: False if it is not.
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

  /// Takes a block out that is not to be run any more.
  ///
  /// - Returns: The wheel's reference, if it had one.
  func withdraw(_ block: DelayedBlock) -> Unmanaged<DelayedBlock>? {
    unsafe pending.withLock { pending in
      guard unsafe block.isLinked else { return nil }
      pending.wheel.remove(block)
      return unsafe Unmanaged.passUnretained(block)
    }
  }

  /// Runs a closure under the lock that guards the wheel and the blocks' links.
  func withWheel<Result>(_ body: () -> Result) -> Result { pending.withLock { _ in body() } }

  /// Calls a closure with those who are told of the ends of blocks, under the same lock.
  func withEndHandlers<Result>(
    _ body: (inout [ObjectIdentifier: EndHandlers]) -> Result
  ) -> Result { pending.withLock { body(&$0.endHandlers) } }

  /// The timer for a block of its own, which releases it unless it is immortal.
  func forBlock() -> Unmanaged<DelayTimer> {
    unsafe isImmortal ? .passUnretained(self) : .passRetained(self)
  }

  // MARK: Running

  /// When the next block is due, or was, if it has been cancelled since.
  var earliest: UInt64? { pending.withLock { $0.wheel.earliest } }

  /// Whether blocks that are due run on the calling thread, so that no other can meanwhile.
  var isFiringHere: Bool {
    firing.load(ordering: .relaxed) == cbr_timer_this_thread() || source.isRunningHere
  }

  /// Runs all blocks that are due, or sends them to their targets, in the order in which they are due;
  /// only called by the source, by one thread at a time.
  ///
  /// - Returns: When to call it again without being told, if ever.
  func runDue() -> UInt64? {
    let forks = cbr_timer_forks()
    var now = source.nanoseconds
    while true {
      run(dueAt: now)
      if isImmortal, cbr_timer_forks() != forks { return nil }
      // What became due meanwhile is run before the source goes to sleep.
      let next = pending.withLock { pending in
        pending.alarm = pending.wheel.earliest ?? .max
        return pending.alarm
      }
      now = source.nanoseconds
      if next > now { return next == .max ? nil : next }
    }
  }

  /// Runs all blocks that are due at a time or before; as `runDue()`.
  func run(dueAt now: UInt64) {
    let forks = cbr_timer_forks()
    firing.store(cbr_timer_this_thread(), ordering: .relaxed)
    defer { firing.store(0, ordering: .relaxed) }
    while let (block, generation, target) = removeFirst(dueAt: now) {
      block.send(generation, to: target)
      // A block may fork: what is due belongs to the parent.
      if isImmortal, cbr_timer_forks() != forks { return }
    }
  }

  /// Notes that the source cannot be woken for now, so that the next block has it tried again.
  func alarmFailed() { pending.withLock { $0.alarm = .max } }

  private func removeFirst(
    dueAt now: UInt64
  ) -> (DelayedBlock, generation: UInt32, DelayTarget)? {
    pending.withLock { pending in
      guard let link = unsafe pending.wheel.removeFirst(dueAt: now) else { return nil }
      // SAFETY: the wheel's reference is the caller's now.
      let block = unsafe link.takeRetainedValue()
      return (block, block.status.generation, block.target)
    }
  }
}

extension DelayTimer.Pending {
  /// Notes that a block is due.
  ///
  /// - Returns: Whether the source has to be told.
  fileprivate mutating func lowerAlarm(to due: UInt64) -> Bool {
    guard due < alarm else { return false }
    alarm = due
    return true
  }

  /// Puts a block in another place, whether it is linked or not.
  ///
  /// - Returns: Whether the source has to be told.
  fileprivate mutating func move(
    _ block: DelayedBlock, to instant: UInt64, again: Bool = false
  ) -> Bool {
    if unsafe block.isLinked {
      wheel.remove(block)
    } else {
      // The wheel's reference: the one it had went to whoever took the block out.
      _ = unsafe Unmanaged.passRetained(block)
    }
    unsafe block.due = roundTime(from: instant, tolerance: block.tolerance)
    // SAFETY: the wheel has a reference.
    unsafe wheel.add(.passUnretained(block), again: again)
    return unsafe lowerAlarm(to: block.due)
  }
}
