#if Database
internal import BlockRuntimeThreads
private import Glibc

/// How long a connection that writes waits for other processes: for all locks of an opening together,
/// and later for each lock.
final class Patience: Sendable {
  private struct State {
    var isOpening = true
    var end: ContinuousClock.Instant
  }

  private let time: Duration
  private let state: Locked<State>

  init(seconds: Double) {
    time = .seconds(seconds)
    state = Locked(State(end: .now + time))
  }

  /// The time to wait for one lock, in milliseconds.
  var milliseconds: Int64 {
    time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
  }

  /// Ends the opening.
  func endOpening() { state.withLock { $0.isOpening = false } }

  /// Waits for some time, if there is any left.
  ///
  /// - Parameter tries: How many times this has been called for a lock.
  /// - Returns: Whether it is to be tried again.
  func wait(_ tries: Int) -> Bool {
    let now = ContinuousClock.now
    let end = state.withLock { state in
      if tries == 0, !state.isOpening { state.end = now + time }
      return state.end
    }
    guard now < end else { return false }
    usleep(tries < 10 ? 1000 : 10_000)
    return true
  }
}
#endif
