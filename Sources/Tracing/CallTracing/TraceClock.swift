internal import BlockHooks
private import CCallTracing.TraceTime
private import Glibc

/// The wall clock, by which a trace's times are told outside of it.
package enum WallClock {
  /// The time at which `CLOCK_MONOTONIC` was zero, in nanoseconds since 1970.
  package static var atZero: UInt64 {
    var time = timespec()
    // SAFETY: the structure is written within its bounds.
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    let now = UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000
    return now &+ UInt64(truncatingIfNeeded: time.tv_nsec) &- ClockReading.monotonic.nanoseconds
  }
}

/// The clock that a tracer reads before and after each call, in nanoseconds.
struct TraceClock: Sendable {
  private enum Source {
    /// `CLOCK_MONOTONIC`, computed from the processor's counter.
    case counter
    /// `CLOCK_MONOTONIC`, where that cannot be.
    case system
    case other
  }

  private let source: Source
  private let other: ClockReading?

  init(_ clock: any Clock<Duration>) {
    if clock is SuspendingClock {
      source = cbr_trace_use_counter() ? .counter : .system
      other = nil
    } else {
      source = .other
      other = ClockReading(clock)
    }
  }

  /// The time now.
  @inline(__always)
  var nanoseconds: UInt64 {
    switch source {
    case .counter: return cbr_trace_time()
    // `cbr_trace_read_clock` takes 27 instructions more, twice a call.
    case .system:
      var time = timespec()
      // SAFETY: the structure is written within its bounds.
      _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000
        &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    case .other: return otherNanoseconds
    }
  }

  @inline(never)
  private var otherNanoseconds: UInt64 { other?.nanoseconds ?? 0 }
}
