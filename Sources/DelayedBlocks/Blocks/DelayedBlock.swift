private import CDelayedBlocks.TimerThread
private import Synchronization

/// A block that runs once, later, unless it is cancelled; the token that its maker gets.
///
/// `DelayTimer.perform(after:on:tolerance:_:)` makes one. Its closure is freed when it has run, or
/// before the `cancel()` that prevents its run returns. Dropping the token cancels nothing;
/// `scoped()` makes one that does. All members may be used on any thread, also within the block.
///
/// The corresponding functions of Objective-C are `performSelector:withObject:afterDelay:` and
/// `dispatch_after`.
@safe public class DelayedBlock: @unchecked Sendable {
  /// What a block is doing.
  public enum State: Sendable, Hashable {
    /// It waits for its time, or, sent to its target, for its turn there.
    case pending
    /// It is running.
    case running
    /// It has run, and will not run again.
    case finished
    /// It was cancelled, and will not run again.
    case cancelled
  }

  /// How the wait for a block ended.
  public enum Outcome: Sendable, Hashable {
    /// The block has run.
    case ran
    /// The block was cancelled.
    case cancelled
    /// Neither happened in time. Only `wait(timeout:)` says so.
    case timedOut
  }

  // The timer's lock guards these: see `TimingWheel`.
  @exclusivity(unchecked) final var next: Unmanaged<DelayedBlock>?
  @exclusivity(unchecked) final var previous: Unmanaged<DelayedBlock>?
  @exclusivity(unchecked) final var due: UInt64
  @exclusivity(unchecked) final var place: UInt64 = 0

  /// A `DelayStatus`.
  private final let word: Atomic<UInt32>

  // As above.
  @exclusivity(unchecked) final var isLinked = false

  /// Whether the block runs inline; otherwise concurrently, unless its details say where.
  private final let isInline: Bool

  /// The closure; it belongs to whoever changed the state from pending, then to nobody.
  @exclusivity(unchecked) private final var body: (@Sendable () -> Void)?

  private final let home: Home

  /// The timer, or what else few blocks have.
  @safe private enum Home {
    /// Retained unless it lives as long as the process.
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
    // SAFETY: retained by the initialiser.
    if case .timer(let timer) = home, unsafe !timer._withUnsafeGuaranteedRef({ $0.isImmortal }) {
      unsafe timer.release()
    }
  }

  /// The block's timer.
  final var timer: DelayTimer {
    switch home {
    // SAFETY: it lives as long as the block.
    case .timer(let timer): unsafe timer.takeUnretainedValue()
    case .details(let details): details.timer
    }
  }

  /// Where the block runs, until it has ended.
  ///
  /// Changes under the timer's lock only.
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

  // MARK: What it is doing

  final var status: DelayStatus { DelayStatus(word: word.load(ordering: .acquiring)) }

  /// What the block is doing now.
  public final var state: State { status.state }

  /// When the block is due, or was.
  ///
  /// A tolerance may have moved it, within its limits.
  public final var instant: DelayTimer.Instant {
    DelayTimer.Instant(nanoseconds: timer.withWheel { unsafe due })
  }

  /// Whether the calling thread is inside of the block.
  final var isRunningHere: Bool {
    // SAFETY: the address only names the block.
    unsafe cbr_timer_is_running(Unmanaged.passUnretained(self).toOpaque())
  }

  // MARK: Ending it

  /// Prevents the run, or of a repeating block all further runs.
  ///
  /// Idempotent. The call that returns true has freed the closure, and told all that wait, unless a
  /// repeating block is running now: then both happen at the end of that run.
  ///
  /// - Returns: True if this call prevented a run; false if the block has run, is running, or was
  ///   cancelled before.
  @discardableResult
  public final func cancel() -> Bool {
    // SAFETY: nothing is read.
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
    // SAFETY: the reference was the wheel's.
    unsafe link?.release()
    return true
  }

  // MARK: Running it

  /// Runs the block on the calling thread now instead of later; of a repeating block the next run.
  ///
  /// - Returns: False if the block is running, has run or was cancelled, or its owner is gone.
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
    // SAFETY: the reference was the wheel's.
    unsafe link?.release()
    return hasRun
  }

  /// Runs the block, if it is still meant to run in a generation.
  final func run(_ generation: UInt32) {
    let isBegun = change { status in
      guard status.state == .pending, status.generation == generation else { return false }
      status.state = .running
      return true
    }
    if isBegun != nil { runBegun() }
  }

  /// Runs the block at its target, if it is still meant to run then.
  final func send(_ generation: UInt32, to target: DelayTarget) {
    if case .inline = target { return run(generation) }
    if !target.run({ self.run(generation) }) { cancel() }
  }

  @discardableResult
  private final func runBegun() -> Bool {
    // SAFETY: the block lives until the call returns.
    unsafe cbr_timer_run(Unmanaged.passUnretained(self).toOpaque()) { block in
      unsafe Unmanaged<DelayedBlock>.fromOpaque(block).takeUnretainedValue().perform()
    }
  }

  /// Runs the closure and ends the state `running`, or makes the block pending again.
  ///
  /// - Returns: Whether the closure ran.
  func perform() -> Bool {
    if let body = takeBody() { body() }
    end(.finished)
    return true
  }

  /// Gives up the target of a block that has ended, under no lock.
  private final func dropTarget() {
    guard case .details(let details) = home else { return }
    let old = timer.withWheel {
      defer { details.target = .inline }
      return details.target
    }
    withExtendedLifetime(old) {}
  }

  /// Takes the block out of the wheel.
  ///
  /// - Returns: The wheel's reference, if it had one.
  private final func withdraw() -> Unmanaged<DelayedBlock>? {
    switch home {
    // SAFETY: the timer lives as long as the block.
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

  /// Ends the run that is under way, and with it the block.
  final func end(_ state: State) {
    dropTarget()
    let status = change { status in
      status.state = state
      return true
    }
    if status?.isObserved == true { tellEnd(state == .cancelled ? .cancelled : .ran) }
  }

  /// Makes a block that is running pending again, if it is not stopping; under the timer's lock.
  final func becomePending() -> Bool {
    change { status in
      guard !status.isStopping else { return false }
      status.state = .pending
      status.beginGeneration()
      return true
    } != nil
  }

  // MARK: Moving it

  /// Learns of a new time; under the timer's lock.
  func didMove(to instant: UInt64) {}

  /// Begins another generation of a block that is pending; under the timer's lock.
  final func beginGeneration() -> Bool {
    change { status in
      guard status.state == .pending else { return false }
      status.beginGeneration()
      return true
    } != nil
  }

  // MARK: The status

  /// Changes the status in one step.
  ///
  /// - Parameter body: Changes it, or returns false to leave it; may run more than once.
  /// - Returns: The new status; nil if it was left.
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

extension DelayedBlock: CustomStringConvertible {
  /// The state, and the time at which the block is due.
  public var description: String { "<delayed block, \(state), due at \(instant)>" }
}
