internal import BlockHooks

/// What bounds the results that a memoising hook keeps.
public struct MemoLimits: Hashable, Sendable {
  /// The most results; nil for any number.
  public var count: Int?

  /// The most that the results may cost together; nil for any cost.
  ///
  /// A result that costs more by itself is not kept.
  public var cost: Int?

  /// How long after it was returned a result may be given again; nil for ever.
  public var age: Duration?

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - count: The most results, at least 1; nil for any number.
  ///   - cost: The most that the results may cost together, at least 1; nil for any cost.
  ///   - age: How long a result may be given again, more than zero; nil for ever.
  public init(count: Int? = 1000, cost: Int? = nil, age: Duration? = nil) {
    self.count = count
    self.cost = cost
    self.age = age
  }

  /// - Throws: `invalidLimit` for limits under which nothing could be kept.
  func validate() throws(MemoizationError) {
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

  /// The age in nanoseconds; ages beyond what a clock counts are none.
  var ageInNanoseconds: UInt64? {
    guard let age else { return nil }
    let (seconds, attoseconds) = age.components
    let whole = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    // Less than a nanosecond is one.
    let part = (UInt64(attoseconds) + 999_999_999) / 1_000_000_000
    let sum = whole.partialValue.addingReportingOverflow(part)
    return whole.overflow || sum.overflow ? nil : sum.partialValue
  }
}
