/// A clock whose time is the result of a closure; its sleeps end at once.
public struct ReadingClock: Clock {
  /// A time of the clock.
  public struct Instant: InstantProtocol {
    /// The nanoseconds since the clock's zero.
    public let nanoseconds: UInt64

    /// The time that is later by a duration.
    public func advanced(by duration: Duration) -> Instant {
      Instant(nanoseconds: nanoseconds + UInt64(duration / .nanoseconds(1)))
    }

    /// The duration from this time to another.
    public func duration(to other: Instant) -> Duration {
      .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
    }

    /// Whether a time is earlier than another.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.nanoseconds < right.nanoseconds
    }
  }

  private let read: @Sendable () -> UInt64

  /// Creates a clock.
  ///
  /// - Parameter nanoseconds: Returns the current time.
  public init(nanoseconds: @escaping @Sendable () -> UInt64) { read = nanoseconds }

  /// The time now.
  public var now: Instant { Instant(nanoseconds: read()) }

  /// The smallest step.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Returns at once.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
