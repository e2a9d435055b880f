public import Invocations

/// Which calls run a hook's handler; all other calls skip it.
///
/// The conditions are decided once for each call, when the call first reaches the hook, for all
/// positions of the hook in that call, however often an outer hook proceeds: first by the thread,
/// then by the predicate, then by sampling, last by the number of runs. A call that one condition
/// refuses is not counted by the later ones. Where a hook of an object proceeds to those of its
/// class, or a wrapper calls its `original`, another call begins. The position `.death` is not part
/// of a call and is never refused.
///
/// Conditions combine: `.once.where { … }`. Of two predicates both must hold; of two conditions of
/// any other kind the last applies. A hook with conditions costs the calls that skip it a little
/// more than a hook that proceeds, and counts as one that runs instead of the block.
public struct HookConditions: Sendable {
  /// Decides about a call by its arguments.
  public typealias Predicate = @Sendable (inout CallFrame) throws -> Bool

  var runs: Int?
  var interval = 1
  var share = 1.0
  var predicate: Predicate?
  var threads: HookThreads?

  /// Evaluated before all other conditions, if there is one.
  package var scope: (@Sendable () -> Bool)?

  /// Every call.
  public static let always = HookConditions()

  /// One call; then the hook removes itself.
  public static var once: HookConditions { always.times(1) }

  /// The first calls, exactly `count` on all threads together.
  ///
  /// The hook removes itself when the last of them ends.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The conditions.
  public static func times(_ count: Int) -> HookConditions { always.times(count) }

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

  /// The same conditions with a number of runs.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The conditions.
  public func times(_ count: Int) -> HookConditions { with { $0.runs = count } }

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

  private func with(_ change: (inout HookConditions) -> Void) -> HookConditions {
    var copy = self
    change(&copy)
    return copy
  }

  /// Whether all calls are admitted.
  package var isAlways: Bool {
    runs == nil && interval == 1 && share == 1 && predicate == nil && threads == nil && scope == nil
  }

  /// - Throws: `invalidCondition`.
  func validate() throws(HookError) {
    if let runs, runs < 1 {
      throw HookError(.invalidCondition, "a hook runs at least once, not \(runs) times")
    }
    guard interval >= 1 else {
      throw HookError(.invalidCondition, "the interval between runs is at least 1, not \(interval)")
    }
    guard (0...1).contains(share) else {
      throw HookError(.invalidCondition, "the share of calls is from 0 to 1, not \(share)")
    }
  }
}

extension HookConditions: CustomStringConvertible {
  /// The conditions in words, "always" if there is none.
  public var description: String {
    var words: [String] = []
    if let runs { words.append(runs == 1 ? "once" : "\(runs) times") }
    if interval > 1 { words.append("one call in \(interval)") }
    if share < 1 { words.append("\(share) of the calls") }
    if predicate != nil { words.append("where a predicate holds") }
    if threads != nil { words.append("on chosen threads") }
    return words.isEmpty ? "always" : words.joined(separator: ", ")
  }
}
