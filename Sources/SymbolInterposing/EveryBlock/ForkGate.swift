private import CSymbolInterposing.ForkGate

/// What no fork comes in the middle of, so that its child finds no lock taken.
enum ForkGate {
  /// Runs `body`, which takes no lock of anybody else's, while no thread forks.
  ///
  /// - Returns: Nil where that is not possible: then `body` was not run.
  static func inside<Result>(_ body: () -> Result) -> Result? {
    guard cbr_fork_gate_enter() else { return nil }
    defer { cbr_fork_gate_leave() }
    return body()
  }
}
