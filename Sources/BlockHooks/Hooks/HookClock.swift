public import DelayedBlocks
private import Glibc

/// A source of monotonic time, for ages, rates and durations; tests set their own.
public struct HookClock: Sendable {
  @usableFromInline let read: @Sendable () -> UInt64

  /// Creates a clock.
  ///
  /// - Parameter nanoseconds: Returns the time since any fixed moment; it never goes back. Called on
  ///   the threads of the calls that it times, under no lock: it must not make such calls itself.
  public init(nanoseconds: @escaping @Sendable () -> UInt64) { read = nanoseconds }

  /// Creates a clock that shows the time of another, which stands still until it is advanced.
  public init(_ clock: ManualClock) { self.init { clock.now.nanoseconds } }

  /// The time now, in nanoseconds since the clock's fixed moment.
  @inlinable public var nanoseconds: UInt64 { read() }

  /// The system's monotonic clock, `CLOCK_MONOTONIC`.
  public static let monotonic = HookClock {
    var time = timespec()
    // SAFETY: the structure is written within its bounds.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
