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
