internal import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes
private import Synchronization

/// One target of a proxy.
final class ProxyTarget: ListMember {
  /// The priority; targets of a higher one receive messages first.
  let priority: Int

  /// The identity of the target, also after its death.
  let identity: WeakIdentity

  /// The key by which the target's methods are found.
  let methods: UInt

  /// The target's address; once it has died, another object may have it.
  let object: ObjectIdentifier

  private let strong: (any MessageReceiver)?
  private weak let weak: (any MessageReceiver)?
  private let removed = Atomic(false)

  init(_ target: any MessageReceiver, _ identity: WeakIdentity, isStrong: Bool, priority: Int) {
    self.priority = priority
    self.identity = identity
    methods = target._messageIdentity.value
    object = ObjectIdentifier(target)
    strong = isStrong ? target : nil
    weak = target
  }

  /// The target; nil after it has died.
  var receiver: (any MessageReceiver)? { weak }

  /// The target; nil after it has died or was removed.
  var current: (any MessageReceiver)? { removed.load(ordering: .acquiring) ? nil : weak }

  /// Whether the target was removed from the proxy: then no call of it begins.
  var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Prevents further calls of the target, also in dispatches in progress.
  func leave() { removed.store(true, ordering: .releasing) }
}

extension ProxyTarget: ReferenceTable {}
