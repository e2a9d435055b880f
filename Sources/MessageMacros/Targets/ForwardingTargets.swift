#if Macros
public import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes

/// The current targets and policies of a forwarder.
@safe
public final class ForwardingTargets<Whole: Forwarder> {
  /// The targets of the inherited protocols, which are always the same as these.
  public let parts = Whole.Parts()

  @usableFromInline let current: Locked<TargetList<Whole>>

  /// Creates an empty list.
  public init() {
    current = Locked(
      TargetList([], Whole.Policies(), { _, _, error in reportHandlerError(error) }))
  }

  /// The current snapshot.
  @inlinable var list: TargetList<Whole> { current.withLock { $0 } }

  @discardableResult
  func add(_ target: ForwardingTarget<Whole>) -> Bool {
    change { targets in
      guard !targets.contains(where: { $0.identity == target.identity }) else { return false }
      let place = targets.firstIndex { $0.priority < target.priority } ?? targets.count
      targets.insert(target, at: place)
      return true
    }
  }

  func remove(_ object: AnyObject) -> Bool {
    let identity = WeakReference(object).identity
    return change { targets in
      guard let index = targets.firstIndex(where: { $0.identity == identity }) else {
        return false
      }
      targets.remove(at: index).removal.remove()
      return true
    }
  }

  func removeAll() {
    change { targets in
      for target in targets { target.removal.remove() }
      targets = []
    }
  }

  func contains(_ object: AnyObject) -> Bool {
    let identity = WeakReference(object).identity
    return list.targets.contains { $0.identity == identity }
  }

  func dropRemoved() { change { targets in targets = targets.filter { !$0.removal.isRemoved } } }

  /// Removes the targets that have died.
  @usableFromInline
  func dropDead() { change { targets in targets = targets.filter { !$0.isDead } } }

  func setPolicies(_ policies: Whole.Policies) {
    replace { TargetList($0.targets, policies, $0.onError) }
  }

  func setErrorHandler(_ onError: @escaping ForwardingErrorHandler) {
    replace { TargetList($0.targets, $0.policies, onError) }
  }

  /// Gives the targets those of a whole of which they are a part.
  ///
  /// - Parameter list: The targets and policies.
  public func replace(by list: TargetList<Whole>) { replace { _ in list } }

  @discardableResult
  private func change<Outcome>(
    _ body: (inout [ForwardingTarget<Whole>]) -> Outcome
  ) -> Outcome {
    return replace { list in
      var targets = list.targets
      let outcome = body(&targets)
      return (TargetList(targets, list.policies, list.onError), outcome)
    }
  }

  private func replace(_ body: (TargetList<Whole>) -> TargetList<Whole>) {
    replace { (body($0), ()) }
  }

  /// Replaces the list, and those of the parts; the last one, and with it targets, is released after
  /// the lock.
  private func replace<Outcome>(
    _ body: (TargetList<Whole>) -> (TargetList<Whole>, Outcome)
  ) -> Outcome {
    let (outcome, last) = current.withLock { list in
      let last = list
      let (new, outcome) = body(list)
      list = new
      parts.replace(by: new)
      return (outcome, last)
    }
    withExtendedLifetime(last) {}
    return outcome
  }
}

// SAFETY: `@unchecked`: the list is guarded by its lock; the parts are targets such as these.
extension ForwardingTargets: @unchecked Sendable
where Whole.WeakTarget: Sendable, Whole.Closures: Sendable {}
#endif
