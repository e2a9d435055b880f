/// The code inside of a chain's hooks.
@safe
struct OriginalCode: Sendable, Equatable {
  // SAFETY: immutable. Whoever makes a chain of the code guarantees that it has the signature of
  // the chain's calls, and stays valid while it is called.
  nonisolated(unsafe) let address: UnsafeRawPointer

  /// Whether the re-entrancy guard is lifted while the code runs, because the handlers around the
  /// code run under the guard.
  let liftsGuard: Bool

  init(_ address: UnsafeRawPointer, liftsGuard: Bool = false) {
    unsafe self.address = unsafe address
    self.liftsGuard = liftsGuard
  }

  static func == (first: OriginalCode, second: OriginalCode) -> Bool {
    unsafe first.address == second.address && first.liftsGuard == second.liftsGuard
  }
}
