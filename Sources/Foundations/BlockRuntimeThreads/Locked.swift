public import CBlockRuntimeThreads.Lock
public import CBlockRuntimeThreads.Reentrancy
public import Synchronization

// SAFETY: `@unchecked Sendable`: the lock guards every access to the value. The value need not be
// Sendable: by contract, what a closure moves into it or out of it is not shared in an unsafe way.
/// A value guarded by a lock of one word.
///
/// The kernel hands the lock of the standard library's `Mutex` over in the order of the waiters'
/// priorities: if more threads than processors want it at once, each hand-over costs a thread
/// switch, tens of microseconds. This lock goes to the first thread that tries to take it while it
/// is free; a thread that finds it taken sleeps. The algorithm is that of Drepper, *Futexes Are
/// Tricky* (2011), which the C library uses too; here an uncontended lock is taken and released
/// without a system call, in code that is inlined. ThreadSanitizer sees what the lock guards,
/// because all of the lock's code is compiled with the program. The value is stored inline, in the
/// standard library's `_Cell`: a lock with memory of its own would cost each hook two allocations.
///
/// While a thread holds the lock, its calls of hooked C functions are ignored, and go straight to
/// the original: a handler of `malloc` may need the same lock.
@safe public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  /// The values of the word.
  @usableFromInline enum State {
    @inlinable @inline(__always) static var free: UInt32 { 0 }
    @inlinable @inline(__always) static var taken: UInt32 { 1 }
    /// Taken, and threads may be waiting.
    @inlinable @inline(__always) static var awaited: UInt32 { 2 }
  }

  @usableFromInline let word: _Cell<Atomic<UInt32>>
  @usableFromInline let value: _Cell<Value>

  /// Creates a free lock that guards a value.
  @inlinable
  public init(_ value: consuming Value) {
    word = _Cell(Atomic(State.free))
    self.value = _Cell(value)
  }

  /// Calls a closure with exclusive access to the value.
  @inlinable @inline(__always)
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    cbr_begin_ignoring()
    defer { cbr_end_ignoring() }
    // SAFETY: the cells live as long as `self`, which is borrowed. The value is accessed only by
    // the thread that holds the lock, which is released on every way out.
    let (isMine, _) = unsafe word._address.pointee.compareExchange(
      expected: State.free, desired: State.taken, ordering: .acquiring)
    if !isMine { wait() }
    defer { giveUp() }
    let value = unsafe value._address
    return try unsafe body(&value.pointee)
  }

  /// Calls a closure with exclusive access to the value, unless the lock is taken.
  ///
  /// - Returns: What the closure returns; nil if it was not called.
  @inlinable
  public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    cbr_begin_ignoring()
    defer { cbr_end_ignoring() }
    // SAFETY: as in `withLock`.
    let (isMine, _) = unsafe word._address.pointee.compareExchange(
      expected: State.free, desired: State.taken, ordering: .acquiring)
    guard isMine else { return nil }
    defer { giveUp() }
    let value = unsafe value._address
    return try unsafe body(&value.pointee)
  }

  /// Releases the lock, and wakes one of the threads that wait for it.
  @inlinable @inline(__always)
  borrowing func giveUp() {
    // SAFETY: the lock is alive until the exchange: this thread holds it.
    let state = unsafe word._address.pointee.exchange(State.free, ordering: .releasing)
    if state == State.awaited { wakeNext() }
  }

  /// Waits until the lock is free, and takes it.
  @usableFromInline
  borrowing func wait() {
    // SAFETY: the cell lives as long as `self`, which is borrowed.
    while unsafe word._address.pointee.exchange(State.awaited, ordering: .acquiring) != State.free {
      unsafe cbr_lock_wait(word._address, State.awaited)
    }
  }

  /// Wakes one thread that waits.
  @usableFromInline
  borrowing func wakeNext() {
    // SAFETY: the kernel does not read the word: a thread that takes the lock now may free it.
    unsafe cbr_lock_wake(word._address)
  }
}
