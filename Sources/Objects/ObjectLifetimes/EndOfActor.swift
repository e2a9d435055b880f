internal import IsolatedClosures

/// An associated value of an actor, which ends after the actor's deinit.
private final class EndOfActor: Sendable {
  static let key = AssociationKey<EndOfActor>("the end of an actor")

  let values = ActorValues()

  deinit { values.end() }
}

/// Returns the values of an actor, retained; declared in `CBRExecutors.h`.
@_cdecl("cbr_actor_values")
func actorValues(_ actor: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
  // SAFETY: the caller passes an actor, which it retains until this returns.
  let actor = unsafe Unmanaged<AnyObject>.fromOpaque(actor).takeUnretainedValue()
  guard actor !== MainActor.shared,
    let end = try? EndOfActor.key.value(of: actor, default: EndOfActor())
  else { return nil }
  return unsafe Unmanaged.passRetained(end.values).toOpaque()
}
