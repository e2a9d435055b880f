#if Macros
/// Closures that are a target of a forwarder; dropping the token does not remove them.
public struct ForwardingToken<Whole: Forwarder> {
  private let target: ForwardingTarget<Whole>
  private weak let targets: ForwardingTargets<Whole>?

  init(_ target: ForwardingTarget<Whole>, of targets: ForwardingTargets<Whole>) {
    self.target = target
    self.targets = targets
  }

  /// Removes the closures: after the return no call of them begins, except one that another thread
  /// is just about to begin; further calls do nothing.
  public func remove() {
    target.removal.remove()
    targets?.dropRemoved()
  }
}

extension ForwardingToken: Sendable where Whole.WeakTarget: Sendable, Whole.Closures: Sendable {}
#endif
