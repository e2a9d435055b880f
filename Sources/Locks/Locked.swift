private import CBlockRuntime.Lock
public import Synchronization

/// A value behind a lock of one word.
///
/// The standard library's `Mutex` hands its lock over in the order of priorities, by the kernel: where
/// more threads than processors want it at once, each hand-over costs a switch of threads, tens of
/// microseconds. This one is taken by whoever comes; who finds it taken sleeps. It is Drepper's,
/// *Futexes Are Tricky* (2011), as the C library's, but is taken and given up without a call.
@safe public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  /// What the word says.
  @usableFromInline enum State {
    @inlinable @inline(__always) static var free: UInt32 { 0 }
    @inlinable @inline(__always) static var taken: UInt32 { 1 }
    /// Threads may be asleep.
    @inlinable @inline(__always) static var awaited: UInt32 { 2 }
  }

  @usableFromInline let word: UnsafeMutablePointer<Atomic<UInt32>>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Guards a value.
  @inlinable
  public init(_ value: consuming Value) {
    // SAFETY: both pieces of memory are this value's until its end.
    unsafe word = .allocate(capacity: 1)
    unsafe word.initialize(to: Atomic(State.free))
    unsafe self.value = .allocate(capacity: 1)
    unsafe self.value.initialize(to: value)
  }

  @inlinable
  deinit {
    // SAFETY: nobody else has the value any more.
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
    unsafe word.deinitialize(count: 1)
    unsafe word.deallocate()
  }

  /// Calls a closure with the value, which no other has meanwhile.
  @inlinable @inline(__always)
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the lock is given up on every way out, and guards every use of the value.
    let (isMine, _) = unsafe word.pointee.compareExchange(
      expected: State.free, desired: State.taken, ordering: .acquiring)
    if !isMine { wait() }
    defer {
      let state = unsafe word.pointee.exchange(State.free, ordering: .releasing)
      if state == State.awaited { wakeNext() }
    }
    return try unsafe body(&value.pointee)
  }

  /// Takes the lock when it is free.
  @usableFromInline
  borrowing func wait() {
    // SAFETY: the word is the lock's.
    while unsafe word.pointee.exchange(State.awaited, ordering: .acquiring) != State.free {
      unsafe cbr_lock_wait(word, State.awaited)
    }
  }

  /// Wakes a thread that waits.
  @usableFromInline
  borrowing func wakeNext() {
    // SAFETY: the address only names the word: whoever takes the lock now may free it.
    unsafe cbr_lock_wake(word)
  }
}
