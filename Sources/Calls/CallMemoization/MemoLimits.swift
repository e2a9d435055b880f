internal import BlockHooks

/// The bounds of the results that a memoizing hook stores.
public struct MemoLimits: Hashable, Sendable {
  /// The maximum number of results; nil for no limit.
  public var count: Int?

  /// The maximum total cost of the results; nil for no limit.
  ///
  /// A result that costs more by itself is not stored.
  public var cost: Int?

  /// The time after its return during which a result is used; nil for no limit.
  public var age: Duration?

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - count: The maximum number of results, at least 1; nil for no limit.
  ///   - cost: The maximum total cost of the results, at least 1; nil for no limit.
  ///   - age: The time during which a result is used, more than zero; nil for no limit.
  public init(count: Int? = 1000, cost: Int? = nil, age: Duration? = nil) {
    self.count = count
    self.cost = cost
    self.age = age
  }

  /// - Throws: `invalidLimit` for limits under which nothing could be stored.
  package func validate() throws(MemoizationError) {
    if let count, count < 1 { throw Self.refusal("count", "\(count)", "at least 1") }
    if let cost, cost < 1 { throw Self.refusal("cost", "\(cost)", "at least 1") }
    if let age, age <= .zero { throw Self.refusal("age", "\(age)", "more than zero") }
  }

  private static func refusal(_ name: String, _ value: String, _ bound: String) -> MemoizationError
  {
    MemoizationError(
      .invalidLimit,
      "the limit \(name) is \(value): nothing could be kept; give \(bound), or nil for no limit")
  }

  /// The age in nanoseconds; nil also for an age that exceeds the range of clocks.
  package var ageInNanoseconds: UInt64? {
    guard let age else { return nil }
    let (seconds, attoseconds) = age.components
    let whole = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    // Fractions of a nanosecond are rounded up.
    let part = (UInt64(attoseconds) + 999_999_999) / 1_000_000_000
    let sum = whole.partialValue.addingReportingOverflow(part)
    return whole.overflow || sum.overflow ? nil : sum.partialValue
  }
}
