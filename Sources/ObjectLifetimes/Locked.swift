package import Glibc

/// A value behind a lock of the C library.
///
/// The standard library's `Mutex` hands its lock over in the order of priorities, by the kernel: where
/// more threads than processors want it at once, each hand-over costs a switch of threads, tens of
/// microseconds. This one is taken by whoever comes.
@safe package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline package let lock: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline package let value: UnsafeMutablePointer<Value>

  /// Guards a value.
  @inlinable
  package init(_ value: consuming Value) {
    // SAFETY: both pieces of memory are this value's until its end.
    unsafe lock = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    unsafe self.value = .allocate(capacity: 1)
    unsafe self.value.initialize(to: value)
  }

  @inlinable
  deinit {
    // SAFETY: nobody else has the value any more.
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
    unsafe pthread_mutex_destroy(lock)
    unsafe lock.deallocate()
  }

  /// Calls a closure with the value, which no other has meanwhile.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the lock is given up on every way out, and guards every use of the value.
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return try unsafe body(&value.pointee)
  }
}
