/// Properties that few delayed blocks need, stored apart so that the others are smaller.
final class DelayDetails {
  let timer: DelayTimer

  /// Where the block runs, until it has ended.
  ///
  /// Written under the timer's lock only; the thread that runs or cancelled the block may read it
  /// without the lock.
  var target: DelayTarget

  /// How much later than asked for the block may be due, in nanoseconds.
  let tolerance: UInt64

  init(_ timer: DelayTimer, _ target: DelayTarget, tolerance: UInt64) {
    self.timer = timer
    self.target = target
    self.tolerance = tolerance
  }
}

/// The closures to call when a block ends.
///
/// The timer stores those of its blocks that have not ended: a block has no field for them.
struct EndHandlers {
  typealias Handler = @Sendable (DelayedBlock.Outcome) -> Void
  typealias Key = Int

  private var list: [(key: Key, handler: Handler)] = []
  private var nextKey = 0

  mutating func add(_ handler: @escaping Handler) -> Key {
    defer { nextKey += 1 }
    list.append((nextKey, handler))
    return nextKey
  }

  /// Removes a closure and returns it, so that the caller can release it while no lock is held.
  mutating func remove(_ key: Key) -> Handler? {
    list.firstIndex { $0.key == key }.map { list.remove(at: $0).handler }
  }

  func call(_ outcome: DelayedBlock.Outcome) {
    for (_, handler) in list { handler(outcome) }
  }
}
