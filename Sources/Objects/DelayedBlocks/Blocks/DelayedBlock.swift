internal import BlockRuntimeThreads
private import CDelayedBlocks.TimerThread
public import IsolatedClosures
private import Synchronization

// SAFETY: `@unchecked Sendable`: the timer's lock guards `next`, `previous`, `due`, `place` and
// `isLinked`. `body` is accessed only by the thread that changed the state from `pending`. `word`
// is atomic, all else immutable; the target in `DelayDetails` has a rule of its own.
/// A block that runs once, later, unless it is cancelled; also the token by which it is cancelled.
///
/// `DelayTimer.perform(after:on:tolerance:_:)` creates one. Its closure is freed when it has run,
/// or before the `cancel()` that prevents its run returns. Releasing the token does not cancel the
/// block; `scoped()` returns a token that does. All members may be used on any thread, also within
/// the block.
///
/// The corresponding functions of Objective-C are `performSelector:withObject:afterDelay:` and
/// `dispatch_after`.
@safe public class DelayedBlock: Removable, @unchecked Sendable {
  // Guarded by the timer's lock: see `TimingWheel`.
  @exclusivity(unchecked) final var next: Unmanaged<DelayedBlock>?
  @exclusivity(unchecked) final var previous: Unmanaged<DelayedBlock>?
  @exclusivity(unchecked) final var due: UInt64
  @exclusivity(unchecked) final var place: UInt64 = 0

  /// A `DelayStatus`.
  private final let word: Atomic<UInt32>

  // Guarded by the timer's lock.
  @exclusivity(unchecked) final var isLinked = false

  /// Whether a block without details runs inline; otherwise it runs concurrently.
  private final let isInline: Bool

  /// The closure; nil once the block has run or was cancelled.
  @exclusivity(unchecked) private final var body: (@Sendable () -> Void)?

  private final let home: Home

  /// The timer alone, or the details, which most blocks do not need.
  @safe private enum Home {
    /// Retained, unless the timer lives as long as the process.
    case timer(Unmanaged<DelayTimer>)
    case details(DelayDetails)
  }

  init(
    _ body: consuming (@Sendable () -> Void)?, at instant: UInt64, tolerance: UInt64,
    target: DelayTarget, timer: DelayTimer, repeats: Bool = false
  ) {
    unsafe self.body = consume body
    unsafe due = roundTime(from: instant, tolerance: tolerance)
    word = Atomic(DelayStatus(repeats: repeats).word)
    switch target {
    case .concurrent where tolerance == 0:
      isInline = false
      unsafe home = .timer(timer.forBlock())
    case .inline where tolerance == 0:
      isInline = true
      unsafe home = .timer(timer.forBlock())
    default:
      isInline = false
      home = .details(DelayDetails(timer, target, tolerance: tolerance))
    }
  }

  deinit {
    // SAFETY: the initialiser retained the timer, unless it is immortal.
    if case .timer(let timer) = home, unsafe !timer._withUnsafeGuaranteedRef({ $0.isImmortal }) {
      unsafe timer.release()
    }
  }

  /// The block's timer.
  final var timer: DelayTimer {
    switch home {
    // SAFETY: the block holds a reference, or the timer is immortal.
    case .timer(let timer): unsafe timer.takeUnretainedValue()
    case .details(let details): details.timer
    }
  }

  /// Where the block runs, until it has ended.
  ///
  /// The target is changed only under the timer's lock.
  final var target: DelayTarget {
    switch home {
    case .timer: isInline ? .inline : .concurrent
    case .details(let details): details.target
    }
  }

  /// How much later than asked for the block may be due, in nanoseconds.
  final var tolerance: UInt64 {
    if case .details(let details) = home { details.tolerance } else { 0 }
  }

  // MARK: State

  final var status: DelayStatus { DelayStatus(word: word.load(ordering: .acquiring)) }

  /// The block's present state.
  public final var state: State { status.state }

  /// When the block is due, or was due.
  ///
  /// The instant may be later than asked for, by at most the tolerance.
  public final var instant: DelayTimer.Instant {
    DelayTimer.Instant(nanoseconds: timer.withWheel { unsafe due })
  }

  /// Whether the calling thread is running the block.
  final var isRunningHere: Bool {
    // SAFETY: the address is compared, not dereferenced.
    unsafe cbr_timer_is_running(Unmanaged.passUnretained(self).toOpaque())
  }

  // MARK: Ending

  /// Prevents the run; for a repeating block, all further runs.
  ///
  /// Further calls do nothing. The call that returns true has freed the closure and ended all waits
  /// before it returns, unless a repeating block is running now: then both happen at the end of
  /// that run.
  ///
  /// - Returns: True if this call prevented a run; false if there was none to prevent: the block
  ///   has run, was cancelled before, or runs only once and is running.
  @_implements(Removable,remove())
  @discardableResult
  public final func cancel() -> Bool {
    // SAFETY: a prefetch reads nothing, and cannot fault.
    unsafe cbr_timer_prefetch_around(Unmanaged.passUnretained(self).toOpaque())
    let changed = change { status in
      switch status.state {
      case .finished, .cancelled: return false
      case .pending: status.state = .cancelled
      case .running:
        guard status.repeats, !status.isStopping else { return false }
        status.isStopping = true
      }
      return true
    }
    guard let status = changed else { return false }
    guard status.state == .cancelled else { return true }
    let link = unsafe withdraw()
    dropBody()
    dropTarget()
    if status.isObserved { tellEnd(.cancelled) }
    // SAFETY: `withdraw()` returned the wheel's reference.
    unsafe link?.release()
    return true
  }

  // MARK: Running

  /// Runs the block now, on the calling thread, instead of later; for a repeating block, the next
  /// run.
  ///
  /// - Returns: False if the block is running, has run or was cancelled, or if its owner has been
  ///   destroyed.
  @discardableResult
  public final func runNow() -> Bool {
    let isBegun = change { status in
      guard status.state == .pending else { return false }
      status.state = .running
      status.beginGeneration()
      return true
    }
    guard isBegun != nil else { return false }
    let link = unsafe withdraw()
    let hasRun = runBegun()
    // SAFETY: `withdraw()` returned the wheel's reference.
    unsafe link?.release()
    return hasRun
  }

  /// Runs the block, if it is pending and still of the given generation.
  final func run(_ generation: UInt32) {
    let isBegun = change { status in
      guard status.state == .pending, status.generation == generation else { return false }
      status.state = .running
      return true
    }
    if isBegun != nil { runBegun() }
  }

  /// Runs the block at a target, if it is pending and still of the given generation then.
  final func send(_ generation: UInt32, to target: DelayTarget) {
    if case .inline = target { return run(generation) }
    if !target.run({ self.run(generation) }) { cancel() }
  }

  @discardableResult
  private final func runBegun() -> Bool {
    // SAFETY: the caller retains the block until the call returns, and C passes its address on.
    unsafe cbr_timer_run(Unmanaged.passUnretained(self).toOpaque()) { block in
      unsafe Unmanaged<DelayedBlock>.fromOpaque(block).takeUnretainedValue().perform()
    }
  }

  /// Runs the closure, and ends the block or makes it pending again; called in the state `running`.
  ///
  /// - Returns: Whether the closure ran.
  func perform() -> Bool {
    if let body = takeBody() { body() }
    end(.finished)
    return true
  }

  /// Releases the target of a block that has ended, while no lock is held.
  private final func dropTarget() {
    guard case .details(let details) = home else { return }
    let old = timer.withWheel { exchange(&details.target, with: .inline) }
    withExtendedLifetime(old) {}
  }

  /// Takes the block out of the wheel.
  ///
  /// - Returns: The wheel's reference, if it had one.
  private final func withdraw() -> Unmanaged<DelayedBlock>? {
    switch home {
    // SAFETY: the block holds a reference, or the timer is immortal.
    case .timer(let timer): unsafe timer._withUnsafeGuaranteedRef { unsafe $0.withdraw(self) }
    case .details(let details): unsafe details.timer.withdraw(self)
    }
  }

  /// Frees the closure.
  func dropBody() { unsafe body = nil }

  private final func takeBody() -> (@Sendable () -> Void)? {
    let taken = unsafe body
    unsafe body = nil
    return taken
  }

  /// Ends the run in progress, and with it the block.
  final func end(_ state: State) {
    dropTarget()
    let status = change { status in
      status.state = state
      return true
    }
    if status?.isObserved == true { tellEnd(state == .cancelled ? .cancelled : .ran) }
  }

  /// Makes a running block pending again, unless it is stopping; called under the timer's lock.
  final func becomePending() -> Bool {
    change { status in
      guard !status.isStopping else { return false }
      status.state = .pending
      status.beginGeneration()
      return true
    } != nil
  }

  // MARK: Moving

  /// Called under the timer's lock when the block has been moved to a new time.
  func didMove(to instant: UInt64) {}

  /// Begins a new generation of a pending block; called under the timer's lock.
  final func beginGeneration() -> Bool {
    change { status in
      guard status.state == .pending else { return false }
      status.beginGeneration()
      return true
    } != nil
  }

  // MARK: The status

  /// Changes the status atomically.
  ///
  /// - Parameter body: Changes the status, or returns false to leave it; may be called repeatedly.
  /// - Returns: The new status; nil if `body` left it unchanged.
  @inline(__always)
  final func change(_ body: (inout DelayStatus) -> Bool) -> DelayStatus? {
    var current = word.load(ordering: .relaxed)
    while true {
      var status = DelayStatus(word: current)
      guard body(&status) else { return nil }
      let (exchanged, original) = word.weakCompareExchange(
        expected: current, desired: status.word, ordering: .acquiringAndReleasing)
      if exchanged { return status }
      current = original
    }
  }
}

extension DelayedBlock: ReferenceTable {
  package final var label: String { "delayed block" }

  // The shared timer does not belong to its blocks.
  package final var contents: Any { timer.isImmortal ? () : timer as Any }
}
