internal import Invocations

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
