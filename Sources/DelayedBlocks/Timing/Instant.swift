extension DelayTimer {
  /// A point on a timer's time line, with a resolution of a nanosecond.
  ///
  /// Instants of timers with different clocks have nothing to do with each other.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the zero of the timer's clock: for `DelayTimer.shared` the time that the system
    /// has been awake since it started, `CLOCK_MONOTONIC`.
    public let nanoseconds: UInt64

    /// The latest instant, which never comes: what is due then stays pending until it is cancelled.
    public static let never = Instant(nanoseconds: 1 << 63)

    /// Creates an instant; those behind `never` become `never`.
    public init(nanoseconds: UInt64) { self.nanoseconds = min(nanoseconds, 1 << 63) }

    /// The instant so much later, or earlier if the duration is negative: none lies before zero or
    /// behind `never`.
    public func advanced(by duration: Duration) -> Instant {
      // Both are at most 2⁶³, so the sum does not overflow.
      duration.attoseconds < 0
        ? Instant(nanoseconds: nanoseconds - min(nanoseconds, duration.magnitudeInNanoseconds))
        : Instant(nanoseconds: nanoseconds &+ duration.magnitudeInNanoseconds)
    }

    /// The time from here to another instant, negative if that comes first.
    public func duration(to other: Instant) -> Duration {
      other < self
        ? .zero - .nanoseconds(nanoseconds - other.nanoseconds)
        : .nanoseconds(other.nanoseconds - nanoseconds)
    }

    /// Whether an instant comes before another.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.nanoseconds < right.nanoseconds
    }
  }
}

extension DelayTimer.Instant: CustomStringConvertible {
  /// The time since the clock's zero, in seconds, such as `12.034500000 s`; or `never`.
  public var description: String {
    guard self != .never else { return "never" }
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    return "\(seconds).\(String(repeating: "0", count: 9 - digits.count))\(digits) s"
  }
}

extension Duration {
  /// The nanoseconds of a duration, less than 2⁶³; none where it is negative.
  var wholeNanoseconds: UInt64 { attoseconds < 0 ? 0 : magnitudeInNanoseconds }

  /// The nanoseconds of a duration without its sign, less than 2⁶³; parts of one are left out.
  fileprivate var magnitudeInNanoseconds: UInt64 {
    let nanosecond: UInt64 = 1_000_000_000
    let attoseconds = self.attoseconds.magnitude
    let high = UInt64(truncatingIfNeeded: attoseconds >> 64)
    // One division of 128 by 64 bits, as the quotient fits.
    guard high < nanosecond / 2 else { return (1 << 63) - 1 }
    return nanosecond.dividingFullWidth((high, UInt64(truncatingIfNeeded: attoseconds))).quotient
  }
}

/// The time within a window that is the multiple of the largest power of two.
///
/// So blocks of the same tolerance need one wake-up in half of that time at most, however many there
/// are, without knowing of each other.
func roundTime(from start: UInt64, tolerance: UInt64) -> UInt64 {
  let end = start &+ tolerance
  guard tolerance > 0, end > start else { return start }
  // Below the highest bit in which the end differs from what lies before the start all may be zero.
  let highestBit = 63 - ((start &- 1) ^ end).leadingZeroBitCount
  return end & ~((1 << UInt64(highestBit)) - 1)
}
