private import CSymbolInterposing.ForkGate

/// Sections that no fork interrupts, so that the child process finds no lock taken.
enum ForkGate {
  /// Runs `body` while no thread forks; `body` must take no lock of other code.
  ///
  /// - Returns: The result of `body`; nil, without a call of `body`, where forks cannot be
  ///   excluded.
  static func inside<Result>(_ body: () -> Result) -> Result? {
    guard cbr_fork_gate_enter() else { return nil }
    defer { cbr_fork_gate_leave() }
    return body()
  }
}
