internal import Invocations
internal import ObjectLifetimes
private import Synchronization

/// One target of a proxy.
final class ProxyTarget {
  /// Higher comes first.
  let priority: Int

  /// Tells the target apart from others, dead or alive.
  let identity: WeakIdentity

  /// What the target's methods are found by.
  let methods: UInt

  private let strong: (any MessageReceiver)?
  private weak let weak: (any MessageReceiver)?
  private let removed = Atomic(false)

  init(_ target: any MessageReceiver, _ identity: WeakIdentity, isStrong: Bool, priority: Int) {
    self.priority = priority
    self.identity = identity
    methods = target._messageIdentity.value
    strong = isStrong ? target : nil
    weak = target
  }

  /// The target; nil once it has died.
  var receiver: (any MessageReceiver)? { weak }

  /// The target, if it is to get messages.
  var current: (any MessageReceiver)? { removed.load(ordering: .acquiring) ? nil : weak }

  /// Whether it was taken out of the proxy: then no call of it begins any more.
  var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Ends calls of it, also in dispatches that are under way.
  func remove() { removed.store(true, ordering: .releasing) }
}

/// The targets and rules of a proxy at one time.
@safe
final class TargetList: @unchecked Sendable {
  // SAFETY: a list is immutable; what its targets may be used for their proxy says.
  let targets: [ProxyTarget]
  let rules: Rules

  /// Whether all messages have the automatic policy.
  let isPlain: Bool

  /// The same targets, to be looked at without a count of references: the list keeps them.
  let places: UnsafeMutablePointer<Unmanaged<ProxyTarget>>

  /// What a proxy does with messages.
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
