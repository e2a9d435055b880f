import BlockHooks
import Synchronization

/// A clock that stands still until it is set forward.
final class ManualClock: Sendable {
  private let time = Atomic<UInt64>(1_000_000_000)

  var clock: HookClock { HookClock { self.time.load(ordering: .relaxed) } }

  func advance(_ nanoseconds: UInt64) { time.add(nanoseconds, ordering: .relaxed) }

  func advance(bySeconds seconds: UInt64) { advance(seconds * 1_000_000_000) }
}
