internal import BlockRuntimeThreads
private import Glibc

/// Runs a closure while this thread has the lock of an object: `@synchronized`.
///
/// ```swift
/// final class Cache { var count = 0 }
/// let cache = Cache()
/// synchronized(on: cache) { cache.count += 1 }
/// ```
///
/// Every object has a lock of its own, which exists while somebody uses it. A thread that has the
/// lock may take it again. The object is retained meanwhile. The lock guards only what all threads
/// use under it.
///
/// - Parameters:
///   - object: Any object, even one whose deinit is running.
///   - body: Runs on this thread, and must return on it.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func synchronized<Outcome, Failure: Error>(
  on object: AnyObject, _ body: () throws(Failure) -> Outcome
) throws(Failure) -> Outcome {
  let lock = ObjectLock.join(object)
  lock.take()
  defer {
    lock.release()
    lock.leave(object)
  }
  return try body()
}

// SAFETY: `@unchecked Sendable`: the mutex is made for several threads; `users` is guarded by the
// lock of the table.
/// The lock of an object that some threads use.
@safe
package final class ObjectLock: @unchecked Sendable {
  // SAFETY: initialised in `init`, and freed in `deinit`, when no thread uses the lock.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var users = 0

  private static let locks = Locked<[ObjectIdentifier: ObjectLock]>([:])

  /// How many objects have locks.
  package static var count: Int { locks.withLock { $0.count } }

  private init() {
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    unsafe pthread_mutex_init(mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// The lock of an object, which has one user more.
  static func join(_ object: AnyObject) -> ObjectLock {
    let identity = ObjectIdentifier(object)
    return locks.withLock { locks in
      let lock = locks[identity] ?? ObjectLock()
      lock.users += 1
      locks[identity] = lock
      return lock
    }
  }

  func leave(_ object: AnyObject) {
    Self.locks.withLock { locks in
      users -= 1
      if users == 0 { locks[ObjectIdentifier(object)] = nil }
    }
  }

  func take() { unsafe pthread_mutex_lock(mutex) }

  func release() { unsafe pthread_mutex_unlock(mutex) }
}
