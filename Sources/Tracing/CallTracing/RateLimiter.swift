/// Admits a number of records per second; unused credit is saved for up to one second.
struct RateLimiter: Sendable {
  private static let second: UInt64 = 1_000_000_000

  /// The credit in nanoseconds that a record costs; nil if all are admitted.
  private let cost: UInt64?
  private var credit = second
  private var last: UInt64?

  init(_ recordsPerSecond: Int?) {
    cost = recordsPerSecond.map { $0 > 0 ? Self.second / UInt64($0) : .max }
  }

  mutating func admits(at now: UInt64) -> Bool {
    guard let cost else { return true }
    if let last, now > last { credit = min(Self.second, credit + min(now - last, Self.second)) }
    last = max(last ?? now, now)
    guard credit >= cost else { return false }
    credit -= cost
    return true
  }
}
