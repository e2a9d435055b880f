internal import BlockHooks

/// The bounds of what a cache or a memoizing hook stores.
public struct MemoLimits: Hashable, Sendable {
  /// The maximum number of results; nil for no limit.
  public var count: Int?

  /// The maximum total cost of the results; nil for no limit.
  ///
  /// A result that alone costs more is not stored.
  public var cost: Int?

  /// The time after its return during which a result is used; nil for no limit.
  public var age: Duration?

  /// The maximum total cost as a share of the memory that the process may use; nil for no limit.
  ///
  /// It is for costs in bytes. The memory is that of the machine, or less, if a control group of
  /// the process has a `memory.max`; it is read when the limits are set. The limits of a database
  /// ignore the share.
  public var memoryShare: Double?

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - count: The maximum number of results, at least 1; nil for no limit.
  ///   - cost: The maximum total cost of the results, at least 1; nil for no limit.
  ///   - age: The time during which a result is used, more than zero; nil for no limit.
  ///   - memoryShare: The maximum total cost as a share of the process's memory, more than 0 and at
  ///     most 1; nil for no limit.
  public init(
    count: Int? = 1000, cost: Int? = nil, age: Duration? = nil, memoryShare: Double? = nil
  ) {
    self.count = count
    self.cost = cost
    self.age = age
    self.memoryShare = memoryShare
  }

  /// - Throws: `invalidLimit` for limits under which nothing could be stored.
  package func validate() throws(MemoizationError) {
    if let count, count < 1 { throw Self.refusal("count", "\(count)", "at least 1") }
    if let cost, cost < 1 { throw Self.refusal("cost", "\(cost)", "at least 1") }
    if let age, age <= .zero { throw Self.refusal("age", "\(age)", "more than zero") }
    if let memoryShare, !(memoryShare > 0 && memoryShare <= 1) {
      throw Self.refusal("memoryShare", "\(memoryShare)", "more than 0 and at most 1")
    }
  }

  private static func refusal(_ name: String, _ value: String, _ bound: String) -> MemoizationError
  {
    MemoizationError(
      .invalidLimit,
      "the limit \(name) is \(value): nothing could be kept; give \(bound), or nil for no limit")
  }

  /// The age in nanoseconds; nil also for an age that exceeds the range of clocks.
  package var ageInNanoseconds: UInt64? {
    guard let age = age.map({ max($0, .zero) }) else { return nil }
    let (seconds, attoseconds) = age.components
    let whole = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    // Fractions of a nanosecond are rounded up.
    let part = (UInt64(attoseconds) + 999_999_999) / 1_000_000_000
    let sum = whole.partialValue.addingReportingOverflow(part)
    return whole.overflow || sum.overflow ? nil : sum.partialValue
  }
}

/// Limits as numbers, for a table.
struct MemoBounds: Hashable, Sendable {
  var count: Int
  let cost: Int

  /// The maximum age in nanoseconds; nil for no limit.
  let age: UInt64?

  /// Reads the size of the process's memory if a share of it is the limit.
  ///
  /// A limit under which nothing could be stored, or that is not a number, becomes 0.
  init(_ limits: MemoLimits, memory: () -> Int = { MemoryPressure.availableMemory }) {
    count = max(limits.count ?? .max, 0)
    let share = limits.memoryShare.map { Int(Double(memory()) * ($0 > 0 ? min($0, 1) : 0)) }
    cost = max(min(limits.cost ?? .max, share ?? .max), 0)
    age = limits.ageInNanoseconds
  }
}
