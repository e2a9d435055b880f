/// What only few delayed blocks have, so that the others need no room for it.
final class DelayDetails {
  let timer: DelayTimer

  /// Where the block runs, until it has ended.
  ///
  /// Written under the timer's lock only; who has begun or cancelled the block may read it without.
  var target: DelayTarget

  /// How much later than asked for the block may be due, in nanoseconds.
  let tolerance: UInt64

  init(_ timer: DelayTimer, _ target: DelayTarget, tolerance: UInt64) {
    self.timer = timer
    self.target = target
    self.tolerance = tolerance
  }
}

/// The closures that are told of a block's end.
///
/// The timer has those of its blocks that have not ended: no word of a block is spent on them.
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

  /// Takes a closure out; it is freed under no lock.
  mutating func remove(_ key: Key) -> Handler? {
    list.firstIndex { $0.key == key }.map { list.remove(at: $0).handler }
  }

  func call(_ outcome: DelayedBlock.Outcome) {
    for (_, handler) in list { handler(outcome) }
  }
}
