#if Database
internal import CallMemoization

extension MemoLimits {
  /// The age of a row in nanoseconds; nil if it has expired.
  ///
  /// A row from the future has expired, because its age is not known; without a limit it counts as
  /// new.
  func age(_ written: Int64, at now: Int64) -> UInt64? {
    let age = UInt64(exactly: Int128(now) - Int128(written))
    guard let limit = ageInNanoseconds else { return age ?? 0 }
    return age.flatMap { $0 < limit ? $0 : nil }
  }
}
#endif
