public import CBlockRuntimeThreads.ForkGate

/// A value guarded by a lock that the child of a fork finds free: forks wait, for a second at most,
/// until no other thread holds the lock.
///
/// Under the lock, no lock of another kind may be taken that some thread holds when it takes a
/// `GatedLock`.
public struct GatedLock<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let value: Locked<Value>

  /// Creates a free lock that guards a value.
  @inlinable
  public init(_ value: consuming Value) { self.value = Locked(value) }

  /// Calls a closure with exclusive access to the value.
  @inlinable
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isInside = cbr_fork_gate_enter()
    defer { if isInside { cbr_fork_gate_leave() } }
    return try value.withLock(body)
  }
}
