#if Database
/// Which of the removals that a file counts are this process's own: what it has computed meanwhile is
/// told apart by its keys, and of what others remove, only that they do is known.
struct OwnRemovals: Sendable {
  private static let capacity = 4096

  /// The last numbers, in order.
  private var numbers: [Int64] = []

  mutating func note(_ number: Int64) {
    if numbers.count == Self.capacity { numbers.removeFirst(Self.capacity / 2) }
    numbers.append(number)
  }

  /// Whether all removals after one number, up to another, are own ones.
  func areAll(since earlier: Int64, until last: Int64) -> Bool {
    if earlier == last { return true }
    return Int64(numbers.count { $0 > earlier && $0 <= last }) == last &- earlier
  }
}
#endif
