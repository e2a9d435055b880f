import Synchronization

/// A clock that shows the time that a test sets, which may be before an earlier one.
final class SettableClock: Clock {
  struct Instant: InstantProtocol {
    var nanoseconds: Int64

    func advanced(by duration: Duration) -> Instant {
      Instant(nanoseconds: nanoseconds + Int64(duration / .nanoseconds(1)))
    }

    func duration(to other: Instant) -> Duration {
      .nanoseconds(other.nanoseconds - nanoseconds)
    }

    static func < (first: Instant, second: Instant) -> Bool {
      first.nanoseconds < second.nanoseconds
    }
  }

  private let time = Atomic<Int64>(0)

  var now: Instant { Instant(nanoseconds: time.load(ordering: .relaxed)) }
  var minimumResolution: Duration { .nanoseconds(1) }

  /// Sets the time, in nanoseconds.
  func set(_ nanoseconds: Int64) { time.store(nanoseconds, ordering: .relaxed) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
