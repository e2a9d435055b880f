/// The code inside of a chain's hooks.
@safe
struct OriginalCode: Sendable, Equatable {
  // SAFETY: immutable. Whoever makes a chain of the code guarantees that it has the signature of
  // the chain's calls, and stays valid while it is called.
  nonisolated(unsafe) let address: UnsafeRawPointer

  /// Whether none of the thread's calls of hooked functions are ignored while the code runs: the
  /// handlers around it run under the re-entrancy guard.
  let liftsGuard: Bool

  init(_ address: UnsafeRawPointer, liftsGuard: Bool = false) {
    unsafe self.address = unsafe address
    self.liftsGuard = liftsGuard
  }

  static func == (first: OriginalCode, second: OriginalCode) -> Bool {
    unsafe first.address == second.address && first.liftsGuard == second.liftsGuard
  }
}
