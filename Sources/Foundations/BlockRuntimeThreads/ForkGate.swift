public import CBlockRuntimeThreads.ForkGate

/// Sections that no fork interrupts, so that the child process finds no lock taken.
public enum ForkGate {
  /// Runs `body` while no other thread forks; `body` must take no lock of other code.
  ///
  /// - Returns: The result of `body`; nil, without a call of `body`, where forks cannot be
  ///   excluded.
  @inlinable
  public static func inside<Result>(_ body: () -> Result) -> Result? {
    guard cbr_fork_gate_enter() else { return nil }
    defer { cbr_fork_gate_leave() }
    return body()
  }
}

/// A value guarded by a lock that the child of a fork finds free: forks wait until no other thread
/// holds it.
///
/// They wait for a second at most, as in `ForkGate`. Under the lock no other kind of lock may be
/// taken that another thread holds while it takes one of this kind.
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
