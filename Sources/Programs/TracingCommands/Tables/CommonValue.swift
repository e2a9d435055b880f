/// The value that several things have in common.
struct CommonValue<Value: Hashable> {
  /// The value; nil if they have several, or if one of them has none.
  private(set) var value: Value?

  private var isFirst = true

  /// Adds the value of one of them.
  mutating func add(_ other: Value?) {
    value = isFirst || value == other ? other : nil
    isFirst = false
  }
}
