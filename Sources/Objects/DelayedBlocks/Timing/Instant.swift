extension DelayTimer {
  /// A point on a timer's time line, with a resolution of a nanosecond.
  ///
  /// Instants of timers with different clocks cannot be compared.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the zero of the timer's clock: for `DelayTimer.shared` the time that the
    /// system has been awake since it started, `CLOCK_MONOTONIC`.
    public let nanoseconds: UInt64

    /// The latest instant, which never comes: a block that is due then stays pending until it is
    /// cancelled.
    public static let never = Instant(nanoseconds: 1 << 63)

    /// Creates an instant; numbers greater than that of `never` become `never`.
    public init(nanoseconds: UInt64) { self.nanoseconds = min(nanoseconds, 1 << 63) }

    /// The instant that is later by a duration, or earlier if that is negative; at least zero, and
    /// at most `never`.
    public func advanced(by duration: Duration) -> Instant {
      duration.attoseconds < 0
        ? Instant(nanoseconds: nanoseconds - min(nanoseconds, duration.magnitudeInNanoseconds))
        : Instant(
          nanoseconds: nanoseconds
            + min(duration.magnitudeInNanoseconds, Self.never.nanoseconds - nanoseconds))
    }

    /// The time from this instant to another one, negative if that is earlier.
    public func duration(to other: Instant) -> Duration {
      other < self
        ? .zero - .nanoseconds(nanoseconds - other.nanoseconds)
        : .nanoseconds(other.nanoseconds - nanoseconds)
    }

    /// The instant that is later by a duration.
    public static func + (instant: Instant, duration: Duration) -> Instant {
      instant.advanced(by: duration)
    }

    /// The instant that is earlier by a duration.
    public static func - (instant: Instant, duration: Duration) -> Instant {
      let attoseconds = duration.attoseconds
      return instant.advanced(by: Duration(attoseconds: attoseconds == .min ? .max : -attoseconds))
    }

    /// The time from the second instant to the first.
    public static func - (later: Instant, earlier: Instant) -> Duration {
      earlier.duration(to: later)
    }

    /// Whether an instant is earlier than another.
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
  /// The nanoseconds of a duration, at most 2⁶³; 0 if it is negative.
  @inline(__always)
  package var wholeNanoseconds: UInt64 { attoseconds < 0 ? 0 : magnitudeInNanoseconds }

  /// The nanoseconds of a duration without its sign, rounded down, at most 2⁶³.
  @inline(__always)
  fileprivate var magnitudeInNanoseconds: UInt64 {
    // 10⁹ is 2⁹ times 5⁹: for up to two and a half hours, the quotient by 2⁹ fits into one word.
    let parts = attoseconds.magnitude >> 9
    guard parts >> 64 == 0 else { return UInt64(min(parts / 1_953_125, 1 << 63)) }
    return UInt64(truncatingIfNeeded: parts) / 1_953_125
  }
}

/// The time within a window that is the multiple of the largest power of two.
///
/// So blocks with the same tolerance cause at most one wake-up in each half of that time, however
/// many there are, although each time is computed independently.
@inline(__always)
func roundTime(from start: UInt64, tolerance: UInt64) -> UInt64 {
  let never = DelayTimer.Instant.never.nanoseconds
  guard tolerance > 0, start < never else { return start }
  let end = min(start + min(tolerance, never), never - 1)
  guard end > start else { return start }
  // All bits below the highest one in which `end` differs from `start - 1` may be zero.
  let highestBit = 63 - ((start &- 1) ^ end).leadingZeroBitCount
  return end & ~((1 << UInt64(highestBit)) - 1)
}
