private import CInvocations.CallMemory
private import Glibc
private import Synchronization

/// The code that makes the calls of a signature, in both directions.
public enum CallEngine: String, Hashable, Sendable, CaseIterable {
  /// Signatures are compiled into plans of register and stack moves; those without a plan use
  /// libffi.
  ///
  /// This is the default.
  case plans
  /// All calls go through libffi, the reference implementation.
  case libffi

  /// The engine of functions, invocations, hooks and function pointers that are made from now on.
  ///
  /// Its first value is that of the environment variable `BLOCKRUNTIME_ENGINE`: `libffi` or
  /// `plans`. Existing objects keep their engine. The property may be read and set from any thread.
  public static var current: CallEngine {
    get { CallEngine.chosen.load(ordering: .relaxed) ? .libffi : .plans }
    set { CallEngine.chosen.store(newValue == .libffi, ordering: .relaxed) }
  }

  private static let chosen = Atomic<Bool>(CallEngine.isForeignAtStart)

  private static var isForeignAtStart: Bool {
    // SAFETY: the value is a C string, which stays valid while nothing changes the environment; it
    // is only read here, once per process.
    guard let value = unsafe getenv("BLOCKRUNTIME_ENGINE") else { return false }
    return unsafe strcmp(value, "libffi") == 0
  }

  /// Whether the library has call plans for this platform.
  static var hasPlans: Bool { CBR_HAS_CALL_PLANS != 0 }
}
