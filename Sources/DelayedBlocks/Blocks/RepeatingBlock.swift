/// A block that runs again and again until it is cancelled; the token that its maker gets.
///
/// `DelayTimer.repeat(every:after:policy:on:tolerance:_:)` makes one. Its runs never overlap. It ends
/// as a cancelled block does: by `cancel()`, also within its body, or with its owner.
///
/// The corresponding class of Foundation is `Timer`.
public final class RepeatingBlock: DelayedBlock, @unchecked Sendable {
  /// What happens to ticks that are missed because a run took longer than the interval, or began late.
  public enum Policy: Sendable, Hashable {
    /// Ticks are at multiples of the interval from the first, without drift. Those that pass during a
    /// run are left out; the next run is at the next multiple.
    case skip
    /// Ticks are at multiples of the interval, without drift. Each gets its run: those that were missed
    /// follow at once, one after the other.
    case catchUp
    /// Ticks are at multiples of the interval, without drift. Those that were missed get one run
    /// together, at once, whose `missedCount` is of all but the last.
    case coalesce
    /// The interval is counted from the end of each run: nothing is missed, and the times drift.
    case delay
  }

  /// One run.
  public struct Tick: Sendable {
    /// The tick's number, counted from 0 at intervals: ticks that were left out have numbers too.
    public let number: Int

    /// How many ticks since the last run were left out.
    public let missedCount: Int

    /// When the tick is due.
    public let instant: DelayTimer.Instant

    /// How much later the run begins; negative if `runNow()` was called before.
    public let lateness: Duration

    /// The block that runs.
    public let block: RepeatingBlock

    /// Ends the block with this run; as `block.cancel()`.
    ///
    /// - Returns: True if this call prevented further runs.
    @discardableResult
    public func cancel() -> Bool { block.cancel() }
  }

  /// Runs a tick; false if it did not, and there must be none any more.
  typealias Body = @Sendable (Tick) -> Bool

  /// The interval, in nanoseconds.
  private let interval: UInt64
  private let policy: Policy

  /// The closure; it belongs to whoever is running the block, or changed the state from pending.
  private var work: Body?

  // These belong to whoever is running the block, or moves it under the timer's lock.
  /// When the tick `startNumber` is due; tolerance does not move it.
  private var start: UInt64
  private var startNumber = 0
  private var number = 0
  private var lastNumber = -1

  init(
    _ work: @escaping Body, start: UInt64, interval: UInt64, policy: Policy, tolerance: UInt64,
    target: DelayTarget, timer: DelayTimer
  ) {
    self.work = work
    self.start = start
    self.interval = interval
    self.policy = policy
    super.init(
      nil, at: start, tolerance: tolerance, target: target,
      timer: timer, repeats: true)
  }

  override func perform() -> Bool {
    let begin = timer.now
    if policy == .coalesce { number = max(number, passed) }
    let instant = DelayTimer.Instant(nanoseconds: time(of: number))
    let tick = Tick(
      number: number, missedCount: max(0, number &- lastNumber &- 1), instant: instant,
      lateness: instant.duration(to: begin), block: self)
    lastNumber = number
    let hasRun = work?(tick) ?? false
    number &+= 1
    switch policy {
    case .skip: number = max(number, passed &+ 1)
    case .catchUp, .coalesce: break
    case .delay: start = timer.now.advanced(by: .nanoseconds(interval)).nanoseconds
    }
    if hasRun, timer.addAgain(self, at: nextTime) {
      return true
    }
    work = nil
    end(.cancelled)
    return hasRun
  }

  override func dropBody() { work = nil }

  override func didMove(to instant: UInt64) { (start, startNumber) = (instant, number) }

  /// The number of the last tick that is due by now.
  private var passed: Int {
    let now = timer.now.nanoseconds
    guard now >= start else { return startNumber &- 1 }
    let (number, overflow) = startNumber.addingReportingOverflow(
      Int(clamping: (now - start) / interval))
    return overflow ? .max - 1 : min(number, .max - 1)
  }

  /// When the next tick is due.
  private var nextTime: UInt64 { policy == .delay ? start : time(of: number) }

  /// When a tick is due, at most `Instant.never`.
  private func time(of number: Int) -> UInt64 {
    guard policy != .delay else { return start }
    let (offset, overflow) = interval.multipliedReportingOverflow(
      by: UInt64(max(number &- startNumber, 0)))
    let never = DelayTimer.Instant.never.nanoseconds
    return overflow || offset > never - start ? never : start + offset
  }
}
