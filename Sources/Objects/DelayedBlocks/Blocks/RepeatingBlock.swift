// SAFETY: `@unchecked Sendable`: `work` is accessed only by the thread that runs the block or has
// cancelled it; the numbers and `start` only by the thread that runs it, or, while it is pending,
// under the timer's lock. `interval` and `policy` are immutable.
/// A block that runs repeatedly until it is cancelled; also the token by which it is cancelled.
///
/// `DelayTimer.repeat(every:after:policy:on:tolerance:_:)` creates one. Its runs never overlap. It
/// ends when it is cancelled: by `cancel()`, also within its body, or with its owner.
///
/// The corresponding class of Foundation is `Timer`.
public final class RepeatingBlock: DelayedBlock, @unchecked Sendable {
  /// What happens to ticks that are missed because a run took longer than the interval, or began
  /// late.
  public enum Policy: Sendable, Hashable {
    /// Ticks are at multiples of the interval from the first tick, without drift. Ticks that pass
    /// during a run are skipped; the next run is at the next multiple.
    case skip
    /// Ticks are at multiples of the interval, without drift. Each tick has a run: missed ones
    /// follow at once, one after the other.
    case catchUp
    /// Ticks are at multiples of the interval, without drift. All missed ticks have one run
    /// together, at once, whose `missedCount` counts all of them but the last.
    case coalesce
    /// The interval begins at the end of each run: no tick is missed, and the times drift.
    case delay
  }

  /// One run of the block.
  public struct Tick: Sendable {
    /// The tick's number, counted from 0; skipped ticks are counted too.
    public let number: Int

    /// The number of ticks that were skipped since the last run.
    public let missedCount: Int

    /// When the tick was due.
    public let instant: DelayTimer.Instant

    /// How much later than due the run began; negative if `runNow()` was called before that time.
    public let lateness: Duration

    /// The block that is running.
    public let block: RepeatingBlock

    /// Ends the block with this run, as `block.cancel()` does.
    ///
    /// - Returns: True if this call prevented further runs.
    @discardableResult
    public func cancel() -> Bool { block.cancel() }
  }

  /// Runs a tick; returns false if it did not run, and the block must end.
  typealias Body = @Sendable (Tick) -> Bool

  /// The interval, in nanoseconds.
  private let interval: UInt64
  private let policy: Policy

  /// The closure; nil once the block has ended.
  private var work: Body?

  // Accessed by the thread that runs the block, or, while it is pending, under the timer's lock.
  /// When the tick `startNumber` is due, without the tolerance.
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

  /// The time at which a tick is due, at most `Instant.never`.
  private func time(of number: Int) -> UInt64 {
    guard policy != .delay else { return start }
    let (offset, overflow) = interval.multipliedReportingOverflow(
      by: UInt64(max(number &- startNumber, 0)))
    let never = DelayTimer.Instant.never.nanoseconds
    return overflow || offset > never - start ? never : start + offset
  }
}
