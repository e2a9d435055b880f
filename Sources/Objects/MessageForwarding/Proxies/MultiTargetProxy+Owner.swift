internal import BlockRuntimeThreads
internal import ObjectLifetimes

extension MultiTargetProxy {
  /// Makes an object retain the proxy until the object dies, as its behaviour object.
  ///
  /// The proxy does not retain its owner; a strong target that does would make a cycle.
  ///
  /// - Parameter owner: The object, which replaces the previous owner.
  /// - Throws: `deadReceiver` if the object is dying; the reason if objects cannot have associated
  ///   values; `underlyingError` is a `LifetimeError`.
  public func attach(to owner: AnyObject) throws(MessageError) {
    do throws(LifetimeError) {
      try ownership.key.set(OwnedProxy(self), on: owner)
    } catch {
      throw MessageError(error, consequence: "the proxy was not attached")
    }
    let last = ownership.owner.withLock { exchange(&$0, with: WeakReference(owner)) }
    if let last = last?.object, last !== owner { ownership.key.remove(from: last) }
  }

  /// Makes the owner release the proxy.
  public func detach() {
    let last = ownership.owner.withLock { $0.take() }
    if let owner = last?.object { ownership.key.remove(from: owner) }
  }

  /// The object to which the proxy is attached; nil if there is none, or it has died.
  public var owner: AnyObject? { ownership.owner.withLock { $0 }?.object }
}

/// The owner of a proxy, and the key of the association by which it retains the proxy.
final class ProxyOwnership {
  let key = AssociationKey<OwnedProxy>("proxy")
  let owner = Locked<WeakReference<AnyObject>?>(nil)
}

/// A proxy that its owner retains.
final class OwnedProxy: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: immutable; the proxy is only retained and released by it.
  private let proxy: MultiTargetProxy

  init(_ proxy: MultiTargetProxy) { self.proxy = proxy }
}

extension ProxyOwnership: ReferenceTable {}
