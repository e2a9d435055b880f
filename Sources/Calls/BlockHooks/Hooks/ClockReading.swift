internal import DelayedBlocks
private import Glibc

/// A clock by which hooks time calls, on the threads of the calls: nanoseconds since the clock's
/// zero.
package struct ClockReading: Sendable {
  @usableFromInline let read: @Sendable () -> UInt64

  private init(read: @escaping @Sendable () -> UInt64) { self.read = read }

  /// Creates a reading of any clock.
  ///
  /// The zero of a `SuspendingClock` is the system's start, that of a `ManualClock` is its own, and
  /// that of other clocks is the time of this call.
  package init(_ clock: some Clock<Duration>) {
    if clock is SuspendingClock {
      self = .monotonic
    } else if let manual = clock as? ManualClock {
      self.init { manual.now.nanoseconds }
    } else {
      let zero = clock.now
      self.init { zero.duration(to: clock.now).wholeNanoseconds }
    }
  }

  /// The time now.
  @inlinable package var nanoseconds: UInt64 { read() }

  /// `CLOCK_MONOTONIC`, which Swift calls the suspending clock.
  package static let monotonic = ClockReading(read: {
    var time = timespec()
    // SAFETY: the structure is written within its bounds.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  })
}
