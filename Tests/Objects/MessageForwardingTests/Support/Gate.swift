import Dispatch
import Synchronization

/// Stops a thread at a place until another thread lets it go on.
final class Gate: Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private let opened = DispatchSemaphore(value: 0)
  private let passed = Atomic(false)

  /// Whether a thread has gone on.
  var hasPassed: Bool { passed.load(ordering: .sequentiallyConsistent) }

  func pass() {
    arrived.signal()
    opened.wait()
    passed.store(true, ordering: .sequentiallyConsistent)
  }

  func awaitArrival() { arrived.wait() }
  func open() { opened.signal() }
}
