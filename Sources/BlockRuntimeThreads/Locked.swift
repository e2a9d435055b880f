public import CBlockRuntimeThreads.Lock
public import Synchronization

/// A value behind a lock of one word.
///
/// The standard library's `Mutex` hands its lock over in the order of priorities, by the kernel: where
/// more threads than processors want it at once, each hand-over costs a switch of threads, tens of
/// microseconds. This one is taken by whoever comes; who finds it taken sleeps. It is Drepper's,
/// *Futexes Are Tricky* (2011), as the C library's, but is taken and given up without a call. All of it
/// is compiled with the program: so ThreadSanitizer sees what it guards, as it does not with a `Mutex` that
/// was waited for in the standard library. The value lies within the lock, as within a `Mutex`, in the cell that
/// the standard library has for it: a lock of its own memory would cost each hook two allocations.
///
/// While a thread has it, its calls of hooked C functions go straight to the original: a handler of
/// `malloc` may use what the lock guards.
@safe public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  /// What the word says.
  @usableFromInline enum State {
    @inlinable @inline(__always) static var free: UInt32 { 0 }
    @inlinable @inline(__always) static var taken: UInt32 { 1 }
    /// Threads may be asleep.
    @inlinable @inline(__always) static var awaited: UInt32 { 2 }
  }

  @usableFromInline let word: _Cell<Atomic<UInt32>>
  @usableFromInline let value: _Cell<Value>

  /// Guards a value.
  @inlinable
  public init(_ value: consuming Value) {
    word = _Cell(Atomic(State.free))
    self.value = _Cell(value)
  }

  /// Calls a closure with the value, which no other has meanwhile.
  @inlinable @inline(__always)
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    cbr_lock_begin()
    defer { cbr_lock_end() }
    // SAFETY: the lock is given up on every way out, and guards every use of the value.
    let (isMine, _) = unsafe word._address.pointee.compareExchange(
      expected: State.free, desired: State.taken, ordering: .acquiring)
    if !isMine { wait() }
    defer { giveUp() }
    let value = unsafe value._address
    return try unsafe body(&value.pointee)
  }

  /// Calls a closure with the value, unless another thread has it.
  ///
  /// - Returns: What the closure returns; nil if it was not called.
  @inlinable
  public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    cbr_lock_begin()
    defer { cbr_lock_end() }
    // SAFETY: as in `withLock`.
    let (isMine, _) = unsafe word._address.pointee.compareExchange(
      expected: State.free, desired: State.taken, ordering: .acquiring)
    guard isMine else { return nil }
    defer { giveUp() }
    let value = unsafe value._address
    return try unsafe body(&value.pointee)
  }

  /// Gives the lock up, and wakes whoever waits for it.
  @inlinable @inline(__always)
  borrowing func giveUp() {
    // SAFETY: the word is the lock's, until another thread has taken it.
    let state = unsafe word._address.pointee.exchange(State.free, ordering: .releasing)
    if state == State.awaited { wakeNext() }
  }

  /// Takes the lock when it is free.
  @usableFromInline
  borrowing func wait() {
    // SAFETY: the word is the lock's.
    while unsafe word._address.pointee.exchange(State.awaited, ordering: .acquiring) != State.free {
      unsafe cbr_lock_wait(word._address, State.awaited)
    }
  }

  /// Wakes a thread that waits.
  @usableFromInline
  borrowing func wakeNext() {
    // SAFETY: the address only names the word: whoever takes the lock now may free it.
    unsafe cbr_lock_wake(word._address)
  }
}
