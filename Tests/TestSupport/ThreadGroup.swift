import Glibc
import Synchronization

// SAFETY, for the whole file: a body is taken once, by its thread; a thread is joined or detached once.

/// Threads that a test starts and waits for: as many at once as are started, on any number of cores.
public final class ThreadGroup: Sendable {
  private let threads = Mutex<[pthread_t]>([])

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Creates a group without threads.
  public init() {}

  /// Starts a thread.
  public func start(_ body: @escaping @Sendable () -> Void) {
    let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    var thread = pthread_t()
    let error = unsafe pthread_create(
      &thread, nil,
      { context in
        unsafe context.map { unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() }
        return nil
      }, context)
    precondition(error == 0, "a thread cannot be started: error \(error)")
    threads.withLock { $0.append(thread) }
  }

  /// Waits until all threads have ended, what they do at their end included.
  public func wait() {
    while true {
      let ending = threads.withLock { threads in
        defer { threads = [] }
        return threads
      }
      if ending.isEmpty { return }
      for thread in ending { pthread_join(thread, nil) }
    }
  }

  deinit {
    for thread in threads.withLock({ $0 }) { pthread_detach(thread) }
  }
}
