internal import BlockHooks
internal import Invocations

/// A run of hooks: neighbours in a method's chain that are of one kind.
///
/// Those that see frames are in one hooked method; of typed hooks, each is in an implementation
/// that wraps the next.
struct HookRun: Sendable {
  /// The method with the hooks that see frames; nil for typed hooks.
  let method: HookedMethod?

  /// The hooks, outermost first.
  var links: [HookLink]

  /// Puts the hooks around an implementation whose signature they have.
  ///
  /// - Parameters:
  ///   - inner: The implementation.
  ///   - receiverClass: The class of the receivers.
  ///   - replaced: Receives what calls ran before, which the caller must release under no lock.
  /// - Returns: The implementation with the hooks around it.
  func around(
    _ inner: Implementation, of receiverClass: AnyClass, _ replaced: inout ReplacedMethods
  ) -> Implementation {
    if let method {
      // Even without hooks: a method that is used again must not keep what it enclosed before.
      method.setInner(inner, &replaced)
      return method.hooksCalls(of: inner) ? method : inner
    }
    guard let interface = try? inner.interface else { return inner }
    return links.reversed().reduce(inner) { inner, link in
      guard let layer = link.unframedRunner as? MethodLayer,
        link.interface.isCalled(as: interface)
      else { return inner }
      return layer.around(inner, of: receiverClass, link.mark)
    }
  }
}

extension HookRun {
  /// Whether this run can be used for some hooks: it has them already, or all but a new one, which
  /// sees frames and which it is to get.
  ///
  ///
  /// A new typed hook with conditions does not count: it is in two runs, which calls must enter
  /// together.
  func makes(_ others: [HookLink], adding new: HookLink?) -> Bool {
    var others = others
    if let new, !new.isTyped, method?.isCalled(as: new.interface) ?? false {
      others = others.removing(new.hook)
    }
    return links.elementsEqual(others) { $0.mark === $1.mark }
  }
}

extension HookLink {
  /// Whether a handler of the hook sees a frame.
  var isFramed: Bool { unframedRunner.map { ($0 as? MethodLayer)?.gate != nil } ?? true }

  /// Whether the hook runs a typed closure.
  var isTyped: Bool { unframedRunner != nil }
}

extension [HookLink] {
  /// The hooks divided into those of one kind; a typed hook with conditions is both, and begins the
  /// typed ones.
  var runs: [(isFramed: Bool, links: [HookLink])] {
    var runs: [(isFramed: Bool, links: [HookLink])] = []
    func add(_ link: HookLink, isFramed: Bool) {
      if runs.last?.isFramed == isFramed {
        runs[runs.count - 1].links.append(link)
      } else {
        runs.append((isFramed, [link]))
      }
    }
    for link in self {
      if link.isFramed { add(link, isFramed: true) }
      if link.isTyped { add(link, isFramed: false) }
    }
    return runs
  }
}
