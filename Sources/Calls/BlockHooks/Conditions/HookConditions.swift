internal import DelayedBlocks
public import Invocations

/// Which calls run a hook's handler; all other calls skip it.
///
/// The conditions are decided once for each call, when the call first reaches the hook in a chosen
/// task. The decision holds for all positions of the hook in that call, however often an outer hook
/// proceeds. It is made by the thread, then by the predicate, sampling, the time since the last
/// run, and last by the number of runs; a call that one condition refuses is not counted by the
/// later ones. Where a hook of an object proceeds to those of its class, or a wrapper calls its
/// `original`, another call begins. The position `.death` is not part of a call and is never
/// refused.
///
/// Conditions combine: `.once.where { … }`. Of two predicates both must hold; of two conditions of
/// any other kind the last applies, and `.once`, `.times` and `.nth` are one kind. A hook with
/// conditions costs the calls that skip it a little more than a hook that proceeds, and counts as
/// one that runs instead of the block.
public struct HookConditions: Sendable {
  /// Decides about a call by its arguments.
  public typealias Predicate = @Sendable (inout CallFrame) throws -> Bool

  /// The number of runs, if it is limited.
  var runs: Int?

  /// How many calls precede the first run, if the number of runs is limited.
  var skipped = 0
  var interval = 1
  var share = 1.0
  var predicate: Predicate?
  var threads: HookThreads?
  var tasks: HookTasks?
  var pause: HookPause?

  /// Evaluated after the choice of tasks, before all other conditions, if there is one.
  package var scope: (@Sendable () -> Bool)?

  /// Every call.
  public static let always = HookConditions()

  /// One call; then the hook removes itself.
  public static var once: HookConditions { always.times(1) }

  /// The first calls, exactly `count` on all threads together.
  ///
  /// The hook removes itself when the last of these calls ends.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The conditions.
  public static func times(_ count: Int) -> HookConditions { always.times(count) }

  /// One call, the n-th; then the hook removes itself.
  ///
  /// The earlier calls skip the handler. Calls are numbered on all threads together; the hook stays
  /// installed until the n-th call has ended.
  ///
  /// - Parameter number: The call's number, at least 1.
  /// - Returns: The conditions.
  public static func nth(_ number: Int) -> HookConditions { always.nth(number) }

  /// The first call, and then every call whose distance from it is a multiple of an interval.
  ///
  /// - Parameter interval: The number of calls from one run to the next, at least 1.
  /// - Returns: The conditions.
  public static func every(_ interval: Int) -> HookConditions { always.every(interval) }

  /// A share of the calls, spread evenly at random.
  ///
  /// The choice depends only on the call's number and the share: it is the same in every run of the
  /// program, and for every hook of the same share.
  ///
  /// - Parameter share: From 0 to 1.
  /// - Returns: The conditions.
  public static func sample(_ share: Double) -> HookConditions { always.sample(share) }

  /// At most one call in each interval, such as the presses of a button that cannot be pressed
  /// twice.
  ///
  /// An interval begins with a run, and the calls within it skip the handler. Of calls that several
  /// threads make at once exactly one runs the handler.
  ///
  /// - Parameters:
  ///   - interval: The time from one run to the next, at least a nanosecond.
  ///   - clock: Measures the time, once for each call; tests use a `ManualClock`.
  /// - Returns: The conditions.
  public static func atMostEvery(
    _ interval: Duration, clock: any Clock<Duration> = SuspendingClock()
  ) -> HookConditions { always.atMostEvery(interval, clock: clock) }

  /// The calls whose arguments a predicate accepts.
  ///
  /// - Parameter predicate: Runs on the caller's thread in the position `.before`, whatever the
  ///   hook's positions are: there is no result yet. It must not change the arguments. If it
  ///   throws, the call skips the handler, and the hook's `onError` is called.
  /// - Returns: The conditions.
  public static func `where`(_ predicate: @escaping Predicate) -> HookConditions {
    always.where(predicate)
  }

  /// The calls on threads that `threads` admits at the time of the call.
  ///
  /// - Parameter threads: The choice of threads; many hooks may share it.
  /// - Returns: The conditions.
  public static func on(_ threads: HookThreads) -> HookConditions { always.on(threads) }

  /// The calls of tasks that `tasks` admits at the time of the call.
  ///
  /// This condition is decided first, without a lock.
  ///
  /// - Parameter tasks: The choice of tasks; many hooks may share it.
  /// - Returns: The conditions.
  public static func inTask(_ tasks: HookTasks) -> HookConditions { always.inTask(tasks) }

  /// The same conditions with a number of runs.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The conditions.
  public func times(_ count: Int) -> HookConditions { with { ($0.runs, $0.skipped) = (count, 0) } }

  /// The same conditions with the number of the only call.
  ///
  /// - Parameter number: At least 1.
  /// - Returns: The conditions.
  public func nth(_ number: Int) -> HookConditions {
    with { ($0.runs, $0.skipped) = (1, max(number, 0) - 1) }
  }

  /// The same conditions with an interval between runs.
  ///
  /// - Parameter interval: At least 1.
  /// - Returns: The conditions.
  public func every(_ interval: Int) -> HookConditions { with { $0.interval = interval } }

  /// The same conditions with a share of the calls.
  ///
  /// - Parameter share: From 0 to 1.
  /// - Returns: The conditions.
  public func sample(_ share: Double) -> HookConditions { with { $0.share = share } }

  /// The same conditions with at most one run in each interval.
  ///
  /// - Parameters:
  ///   - interval: The time from one run to the next, at least a nanosecond.
  ///   - clock: Measures the time, once for each call.
  /// - Returns: The conditions.
  public func atMostEvery(
    _ interval: Duration, clock: any Clock<Duration> = SuspendingClock()
  ) -> HookConditions {
    with {
      $0.pause = HookPause(nanoseconds: interval.wholeNanoseconds, clock: ClockReading(clock))
    }
  }

  /// The same conditions with a predicate.
  ///
  /// - Parameter predicate: Decides about a call by its arguments.
  /// - Returns: The conditions.
  public func `where`(_ predicate: @escaping Predicate) -> HookConditions {
    with { conditions in
      guard let first = conditions.predicate else {
        conditions.predicate = predicate
        return
      }
      conditions.predicate = { call in try first(&call) && predicate(&call) }
    }
  }

  /// The same conditions with a choice of threads.
  ///
  /// - Parameter threads: The choice of threads; many hooks may share it.
  /// - Returns: The conditions.
  public func on(_ threads: HookThreads) -> HookConditions { with { $0.threads = threads } }

  /// The same conditions with a choice of tasks.
  ///
  /// - Parameter tasks: The choice of tasks; many hooks may share it.
  /// - Returns: The conditions.
  public func inTask(_ tasks: HookTasks) -> HookConditions { with { $0.tasks = tasks } }

  private func with(_ change: (inout HookConditions) -> Void) -> HookConditions {
    var copy = self
    change(&copy)
    return copy
  }

  /// Whether all calls are admitted.
  package var isAlways: Bool {
    runs == nil && interval == 1 && share == 1 && predicate == nil && threads == nil && scope == nil
      && tasks == nil && pause == nil
  }

  /// - Throws: `invalidCondition`.
  func validate() throws(HookError) {
    if let runs, runs < 1 {
      throw HookError(.invalidCondition, "a hook runs at least once, not \(runs) times")
    }
    guard skipped >= 0 else {
      throw HookError(
        .invalidCondition, "the first call has the number 1; there is none of \(skipped + 1)")
    }
    guard pause?.nanoseconds != 0 else {
      throw HookError(.invalidCondition, "the time between runs is at least a nanosecond")
    }
    guard interval >= 1 else {
      throw HookError(.invalidCondition, "the interval between runs is at least 1, not \(interval)")
    }
    guard (0...1).contains(share) else {
      throw HookError(.invalidCondition, "the share of calls is from 0 to 1, not \(share)")
    }
  }
}

/// The time from one run of a hook to the next.
struct HookPause: Sendable {
  let nanoseconds: UInt64
  let clock: ClockReading
}

extension HookConditions: CustomStringConvertible {
  /// The conditions in words, "always" if there is none.
  public var description: String {
    var words: [String] = []
    if skipped > 0 {
      words.append("call number \(skipped + 1)")
    } else if let runs {
      words.append(runs == 1 ? "once" : "\(runs) times")
    }
    if interval > 1 { words.append("one call in \(interval)") }
    if share < 1 { words.append("\(share) of the calls") }
    if predicate != nil { words.append("where a predicate holds") }
    if threads != nil { words.append("on chosen threads") }
    if let pause { words.append("at most every \(Duration.nanoseconds(pause.nanoseconds))") }
    if tasks != nil { words.append("in chosen tasks") }
    return words.isEmpty ? "always" : words.joined(separator: ", ")
  }
}
