private import CInvocations.CallImage
private import Glibc
private import Synchronization

/// What makes the calls of a signature, in both directions.
public enum CallEngine: String, Hashable, Sendable, CaseIterable {
  /// Signatures are compiled into plans of register and stack moves; what has no plan goes through
  /// libffi. This is the engine unless another is asked for.
  case plans
  /// Everything goes through libffi, the reference.
  case libffi

  /// The engine of what is made from now on: functions, invocations, hooks, function pointers.
  ///
  /// The environment variable `BLOCKRUNTIME_ENGINE` decides at the start: `libffi` or `plans`. What
  /// exists keeps its engine. It may be read and set from any thread.
  public static var current: CallEngine {
    get { CallEngine.chosen.load(ordering: .relaxed) ? .libffi : .plans }
    set { CallEngine.chosen.store(newValue == .libffi, ordering: .relaxed) }
  }

  private static let chosen = Atomic<Bool>(CallEngine.isForeignAtStart)

  private static var isForeignAtStart: Bool {
    // SAFETY: the variable's value is a C string; it is read once, and not kept.
    guard let value = unsafe getenv("BLOCKRUNTIME_ENGINE") else { return false }
    return unsafe strcmp(value, "libffi") == 0
  }

  /// Whether this platform has call plans at all.
  static var hasPlans: Bool { CBR_HAS_CALL_PLANS != 0 }
}
