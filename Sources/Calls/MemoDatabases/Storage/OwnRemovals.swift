#if Database
/// Tells which of the removals that a file counts are this process's own.
///
/// Their keys are known; of the removals by other processes only the number is.
struct OwnRemovals: Sendable {
  private static let capacity = 4096

  /// The numbers of the last own removals, in order.
  private var numbers: [Int64] = []

  mutating func note(_ number: Int64) {
    if numbers.count == Self.capacity { numbers.removeFirst(Self.capacity / 2) }
    numbers.append(number)
  }

  /// Whether all removals after one number, up to another, are this process's own.
  func areAll(since earlier: Int64, until last: Int64) -> Bool {
    if earlier == last { return true }
    return Int64(numbers.count { $0 > earlier && $0 <= last }) == last &- earlier
  }
}
#endif
