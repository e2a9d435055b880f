private import Foundation

/// Threads that a test starts and waits for: as many at once as are started, on any number of cores.
public final class ThreadGroup: Sendable {
  private let group = DispatchGroup()

  /// Creates a group without threads.
  public init() {}

  /// Starts a thread.
  public func start(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    Thread.detachNewThread {
      body()
      self.group.leave()
    }
  }

  /// Waits until all threads have ended.
  public func wait() { group.wait() }
}
