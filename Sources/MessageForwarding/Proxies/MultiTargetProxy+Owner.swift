private import BlockRuntimeThreads
internal import ObjectLifetimes

extension MultiTargetProxy {
  /// Keeps the proxy alive as long as an object: a behaviour object.
  ///
  /// The proxy does not keep its owner alive, but a strong target that does would.
  ///
  /// - Parameter owner: The object; in the place of the one before.
  /// - Throws: `deadReceiver` if the object is dying; where objects cannot have values, the reason;
  ///   `underlyingError` is a `LifetimeError`.
  public func attach(to owner: AnyObject) throws(MessageError) {
    do throws(LifetimeError) {
      try ownership.key.set(OwnedProxy(self), on: owner)
    } catch {
      throw MessageError(error, consequence: "the proxy was not attached")
    }
    let last = ownership.owner.withLock { last in
      defer { last = WeakReference(owner) }
      return last
    }
    if let last = last?.object, last !== owner { ownership.key.remove(from: last) }
  }

  /// Ends what `attach(to:)` began: the owner keeps the proxy no longer.
  public func detach() {
    let last = ownership.owner.withLock { last in
      defer { last = nil }
      return last
    }
    if let owner = last?.object { ownership.key.remove(from: owner) }
  }

  /// The object that the proxy is attached to; nil once it has died.
  public var owner: AnyObject? { ownership.owner.withLock { $0 }?.object }
}
