#if Macros
public import BlockRuntimeThreads
internal import Invocations
internal import MessageForwarding
internal import ObjectLifetimes

/// The current targets and policies of a forwarder.
///
/// A class that forwards has one as `let targets = Targets()`.
@safe
public final class ForwardingTargets<Requirements: ForwardedRequirements> {
  /// The targets of the inherited protocols, which are always the same as these.
  public let parts = Requirements.Parts()

  @usableFromInline let current: Locked<TargetList<Requirements>>

  /// Creates an empty list.
  public init() {
    current = Locked(
      TargetList([], Requirements.Policies()) { target, _, error in
        let name = target.map { "\(type(of: $0))" } ?? "a closure"
        reportError(error, from: "a target of a forwarder (\(name))")
      })
  }

  /// The current snapshot.
  @inlinable var list: TargetList<Requirements> { current.withLock { $0 } }

  /// Adds a target, unless its object is a target already.
  ///
  /// - Parameters:
  ///   - target: The target.
  ///   - mayAdd: Whether the target may be added, asked under the lock.
  /// - Returns: Whether it was added; nil if it must not be.
  @discardableResult
  func add(
    _ target: ForwardingTarget<Requirements>, where mayAdd: () -> Bool = { true }
  ) -> Bool? {
    change { targets in
      guard !targets.hasMember(target.identity) else { return false }
      return mayAdd() ? targets.join(target) : nil
    }
  }

  func remove(_ object: AnyObject) -> Bool {
    let identity = WeakReference(object).identity
    return change { targets in targets.leave(identity) }
  }

  func removeAll() {
    change { targets in targets.leaveAll() }
  }

  func contains(_ object: AnyObject) -> Bool {
    let identity = WeakReference(object).identity
    return list.targets.hasMember(identity)
  }

  /// Takes the targets that were removed, or are dead, out of the list.
  @usableFromInline
  func dropRemoved() { change { _ in } }

  /// Says on standard error why a target is not added.
  func reportRefusal(_ reason: String) {
    reportError(MessageError(.forwardingLoop, reason), from: "an addition to a forwarder")
  }

  func setPolicies(_ policies: Requirements.Policies) {
    replace { TargetList($0.targets, policies, $0.onError) }
  }

  func setErrorHandler(_ onError: @escaping ForwardingErrorHandler) {
    replace { TargetList($0.targets, $0.policies, onError) }
  }

  /// Replaces the targets by those of the whole that they are a part of.
  ///
  /// - Parameter list: The targets and policies.
  public func replace(by list: TargetList<Requirements>) { replace { _ in list } }

  @discardableResult
  private func change<Outcome>(
    _ body: (inout [ForwardingTarget<Requirements>]) -> Outcome
  ) -> Outcome {
    // Before the lock is taken, because an object may be destroyed as soon as it was found alive.
    for target in list.targets { target.removeIfDead() }
    return replace { list in
      var targets = list.targets.filter { !$0.removal.isRemoved }
      let outcome = body(&targets)
      return (TargetList(targets, list.policies, list.onError), outcome)
    }
  }

  private func replace(_ body: (TargetList<Requirements>) -> TargetList<Requirements>) {
    replace { (body($0), ()) }
  }

  /// Replaces the list, and those of the parts.
  ///
  /// A target that is destroyed may use the forwarder: under the lock no reference is released that
  /// may be the last.
  private func replace<Outcome>(
    _ body: (TargetList<Requirements>) -> (TargetList<Requirements>, Outcome)
  ) -> Outcome {
    let (outcome, last, objects) = current.withLock { list in
      let last = list
      // Parts copy weak references, and retain the objects meanwhile.
      let objects = hasParts ? list.objects : []
      let (new, outcome) = body(list)
      list = new
      parts.replace(by: new)
      return (outcome, last, objects)
    }
    withExtendedLifetime((last, objects)) {}
    return outcome
  }

  private var hasParts: Bool { !(parts is NoParts<Requirements>) }
}

// SAFETY: `@unchecked`: the list is guarded by its lock; the parts are targets such as these.
extension ForwardingTargets: @unchecked Sendable
where Requirements.WeakTarget: Sendable, Requirements.Closures: Sendable {}
#endif
