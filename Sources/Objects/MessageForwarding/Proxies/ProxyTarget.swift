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

/// The targets and rules of a proxy: an immutable snapshot.
@safe
final class TargetList: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: a list is immutable, and its entries are immutable or atomic.
  // The targets must be safe to use on the threads that use the proxy, as its documentation says.
  let targets: [ProxyTarget]
  let rules: Rules

  /// Whether all messages have the automatic policy.
  let isPlain: Bool

  // SAFETY: written in `init` only, with as many elements as there are targets, and freed in
  // `deinit`; `targets` retains the elements.
  /// The targets, readable without counting references.
  let places: UnsafeMutablePointer<Unmanaged<ProxyTarget>>

  /// The rules of a proxy for messages.
  struct Rules {
    var policies: [Selector: ResultPolicy] = [:]
    var policy = ResultPolicy.automatic
    var ignoresUnrecognized = false

    /// Whether all messages have the automatic policy.
    var isPlain: Bool {
      guard case .automatic = policy.kind else { return false }
      return policies.isEmpty
    }

    /// The policy of a message.
    func policy(for selector: Selector) -> ResultPolicy { policies[selector] ?? policy }
  }

  init(_ targets: [ProxyTarget], _ rules: Rules) {
    self.targets = targets
    self.rules = rules
    isPlain = rules.isPlain
    unsafe places = .allocate(capacity: targets.count)
    for (index, target) in targets.enumerated() {
      unsafe (places + index).initialize(to: Unmanaged.passUnretained(target))
    }
  }

  deinit { unsafe places.deallocate() }
}

extension ProxyTarget: ReferenceTable {}
