import Glibc
import Synchronization

/// Threads that a test starts and waits for; all of them exist at once, on any number of cores.
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
    // SAFETY: the context holds a reference to the body, which the thread takes over.
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

  /// Waits until all threads have ended and run their destructors of thread-specific data.
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
