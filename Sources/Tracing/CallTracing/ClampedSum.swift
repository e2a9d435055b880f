extension FixedWidthInteger {
  /// Adds a number; the sum is at most the highest one, as numbers of streams are not trusted.
  package mutating func addClamped(_ other: Self) {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    self = isTooLarge ? .max : sum
  }
}
