internal import BlockRuntimeThreads
private import Synchronization

/// Decides which calls run the handler of one installed hook, and counts them.
///
/// The caller evaluates the predicate, which alone needs the call's frame.
final class HookDecisions: Sendable {
  private let conditions: HookConditions

  /// How many calls are still to be counted: first those to skip, then the runs.
  private let callsLeft: Atomic<Int>
  private let runsEnded = Atomic(0)
  private let calls = Atomic<UInt64>(0)

  /// The earliest time of the next run, in nanoseconds.
  private let nextRun = Atomic<UInt64>(0)

  /// The hook; it lives while it can be called.
  private unowned let state: HookState

  init(_ conditions: HookConditions, _ state: HookState) {
    self.conditions = conditions
    self.state = state
    callsLeft = Atomic(conditions.skipped + (conditions.runs ?? 0))
  }

  /// An admitted call.
  struct Admission {
    /// The run, which is kept until the call ends; nil if the number of runs is not limited.
    let run: Run?
  }

  /// Decides about a call.
  ///
  /// - Parameter accepts: Evaluates the predicate, if there is one.
  /// - Returns: Nil if the call skips the handler.
  @inline(__always)
  func admission(_ accepts: (HookConditions.Predicate) -> Bool) -> Admission? {
    if let scope = conditions.scope, !scope() { return nil }
    if let threads = conditions.threads, !threads.admitsCurrentThread { return nil }
    if let predicate = conditions.predicate, !accepts(predicate) { return nil }
    // The predicate may have removed the hook.
    guard isInSample, beginsInterval, state.isInstalled else { return nil }
    guard let runs = conditions.runs else { return Admission(run: nil) }
    return takeRun(of: runs).map(Admission.init)
  }

  private var isInSample: Bool {
    guard conditions.interval > 1 || conditions.share < 1 else { return true }
    // Relaxed, here and below: only the numbers count.
    let number = calls.wrappingAdd(1, ordering: .relaxed).oldValue
    guard number % UInt64(conditions.interval) == 0 else { return false }
    return conditions.share == 1
      || Self.fraction(of: number / UInt64(conditions.interval)) < conditions.share
  }

  /// The element at an index of a fixed random sequence of numbers from 0 to 1, by SplitMix64.
  ///
  /// Specification: <https://doi.org/10.1145/2714064.2660195>.
  private static func fraction(of number: UInt64) -> Double {
    var bits = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ (bits >> 31)) >> 11) * 0x1p-53
  }

  /// Begins the interval of a run; false if an interval is in progress, or another call begins it.
  private var beginsInterval: Bool {
    guard let pause = conditions.pause else { return true }
    let now = pause.clock.nanoseconds
    let next = nextRun.load(ordering: .relaxed)
    guard now >= next else { return false }
    let (end, isBeyond) = now.addingReportingOverflow(pause.nanoseconds)
    return nextRun.compareExchange(
      expected: next, desired: isBeyond ? .max : end, ordering: .relaxed
    ).exchanged
  }

  /// Takes one of the remaining runs; nil if none remains, or the call is to be skipped.
  private func takeRun(of runs: Int) -> Run? {
    var left = callsLeft.load(ordering: .relaxed)
    while left > 0 {
      let (isTaken, found) = callsLeft.compareExchange(
        expected: left, desired: left - 1, ordering: .relaxed)
      if isTaken { return left <= runs ? Run(self, runs) : nil }
      left = found
    }
    return nil
  }

  /// One of a limited number of runs; it ends with its call.
  ///
  /// The hook is removed when its last run has ended, and not when that run is taken: a removal
  /// would skip the run's later positions.
  final class Run {
    private let decisions: HookDecisions
    private let runs: Int

    init(_ decisions: HookDecisions, _ runs: Int) {
      self.decisions = decisions
      self.runs = runs
    }

    deinit {
      // The last run to end follows all others.
      let ended = decisions.runsEnded.add(1, ordering: .acquiringAndReleasing).newValue
      if ended == runs { decisions.state.remove() }
    }
  }
}

extension HookDecisions: ReferenceTable {}
