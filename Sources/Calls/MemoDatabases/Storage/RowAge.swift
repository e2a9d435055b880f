#if Database
internal import CallMemoization

extension MemoLimits {
  /// The age of a row in nanoseconds; nil if it has expired.
  ///
  /// A row from the future has: its age is not known. Without a limit it counts as new.
  func age(_ written: Int64, at now: Int64) -> UInt64? {
    let age = now.subtractingReportingOverflow(written)
    guard let limit = ageInNanoseconds else {
      return age.overflow || age.partialValue < 0 ? 0 : UInt64(age.partialValue)
    }
    guard !age.overflow, age.partialValue >= 0, UInt64(age.partialValue) < limit else {
      return nil
    }
    return UInt64(age.partialValue)
  }
}
#endif
