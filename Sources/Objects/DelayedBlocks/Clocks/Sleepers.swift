/// The tasks that sleep by a manual clock, in the order of their times; guarded by the clock's
/// lock.
struct Sleepers {
  typealias Continuation = CheckedContinuation<Void, any Error>

  private struct Sleeper {
    let key: Int
    let due: UInt64
    let continuation: Continuation
  }

  /// The sleepers; the first to wake up is the last element.
  private var list: [Sleeper] = []

  /// The keys of sleeps that were cancelled before they began.
  private var cancelled: Set<Int> = []
  private var nextKey = 0

  /// The number of sleepers.
  var count: Int { list.count }

  /// When the first sleeper wakes up.
  var earliest: UInt64? { list.last?.due }

  /// Creates a key by which a sleep can be cancelled.
  mutating func makeKey() -> Int {
    defer { nextKey += 1 }
    return nextKey
  }

  /// Adds a sleeper, to wake up after those of the same time.
  ///
  /// - Returns: False if the sleep was cancelled before.
  mutating func add(_ continuation: Continuation, _ key: Int, until due: UInt64) -> Bool {
    guard !cancelled.contains(key) else { return false }
    var place = list.endIndex
    while place > 0, list[place - 1].due <= due { place -= 1 }
    list.insert(Sleeper(key: key, due: due, continuation: continuation), at: place)
    return true
  }

  /// Takes out the sleeper that wakes up first.
  mutating func removeFirst() -> Continuation? { list.popLast()?.continuation }

  /// Takes out a cancelled sleeper, or notes that its sleep must not begin.
  mutating func cancel(_ key: Int) -> Continuation? {
    if let index = list.firstIndex(where: { $0.key == key }) {
      return list.remove(at: index).continuation
    }
    cancelled.insert(key)
    return nil
  }

  /// Forgets the key of a sleep that has ended or does not begin.
  ///
  /// - Returns: Whether the sleep was cancelled before it began.
  mutating func forget(_ key: Int) -> Bool { cancelled.remove(key) != nil }
}
