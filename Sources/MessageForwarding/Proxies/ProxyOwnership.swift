internal import BlockRuntimeThreads
internal import ObjectLifetimes

/// Who keeps a proxy alive.
final class ProxyOwnership {
  let key = AssociationKey<OwnedProxy>("proxy")
  let owner = Locked<WeakReference<AnyObject>?>(nil)
}

/// A proxy that its owner keeps.
final class OwnedProxy: @unchecked Sendable {
  // SAFETY: it is only kept.
  private let proxy: MultiTargetProxy

  init(_ proxy: MultiTargetProxy) { self.proxy = proxy }
}
