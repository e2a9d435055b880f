#if Macros
/// The token of closures that are a target of a forwarder; dropping it does not remove them.
public struct ForwardingToken<Requirements: ForwardedRequirements> {
  private let removal: TargetRemoval
  private weak let targets: ForwardingTargets<Requirements>?

  init(_ removal: TargetRemoval, of targets: ForwardingTargets<Requirements>) {
    self.removal = removal
    self.targets = targets
  }

  /// Removes the closures: after the return no call of them begins, except one that another thread
  /// is just about to begin; further calls do nothing.
  public func remove() {
    removal.remove()
    targets?.dropRemoved()
  }
}

extension ForwardingToken: Sendable
where Requirements.WeakTarget: Sendable, Requirements.Closures: Sendable {}
#endif
