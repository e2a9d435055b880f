/// The tasks that sleep by a manual clock, in the order of their times; guarded by the clock's lock.
struct Sleepers {
  typealias Continuation = CheckedContinuation<Void, any Error>

  private struct Sleeper {
    let key: Int
    let due: UInt64
    let continuation: Continuation
  }

  /// The first to wake up is the last.
  private var list: [Sleeper] = []

  /// Those that were cancelled before they slept.
  private var cancelled: Set<Int> = []
  private var nextKey = 0

  /// How many sleep.
  var count: Int { list.count }

  /// When the first wakes up.
  var earliest: UInt64? { list.last?.due }

  /// A key for a sleep, to cancel it by.
  mutating func makeKey() -> Int {
    defer { nextKey += 1 }
    return nextKey
  }

  /// Adds a sleeper, behind those of the same time.
  ///
  /// - Returns: False if it was cancelled before.
  mutating func add(_ continuation: Continuation, _ key: Int, until due: UInt64) -> Bool {
    guard !cancelled.contains(key) else { return false }
    var place = list.endIndex
    while place > 0, list[place - 1].due <= due { place -= 1 }
    list.insert(Sleeper(key: key, due: due, continuation: continuation), at: place)
    return true
  }

  /// Takes out the sleeper that wakes up first.
  mutating func removeFirst() -> Continuation? { list.popLast()?.continuation }

  /// Takes out a sleeper that was cancelled, or notes that it will not sleep.
  mutating func cancel(_ key: Int) -> Continuation? {
    if let index = list.firstIndex(where: { $0.key == key }) {
      return list.remove(at: index).continuation
    }
    cancelled.insert(key)
    return nil
  }

  /// Forgets a sleep that does not begin.
  ///
  /// - Returns: Whether it was cancelled.
  mutating func forget(_ key: Int) -> Bool { cancelled.remove(key) != nil }
}
