internal import BlockHooks
internal import Invocations

/// Hooks of a method that follow each other and are of one kind: those with frames run in one
/// hooked method, typed ones in implementations that wrap others.
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
      // Also without hooks, a method that is used again must not keep what was inside of it.
      method.setInner(inner, &replaced)
      return method.hooksCalls(of: inner) ? method : inner
    }
    guard let interface = try? inner.interface else { return inner }
    return links.reversed().reduce(inner) { inner, link in
      guard let layer = link.layer as? MethodLayer, link.interface.isCalled(as: interface) else {
        return inner
      }
      return layer.around(inner, of: receiverClass, link.mark)
    }
  }
}

extension HookRun {
  /// Whether this has the hooks of another run, or becomes it when a hook that sees frames is
  /// added.
  ///
  /// A typed hook with conditions is in two runs, which calls must enter together.
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
  var isFramed: Bool { layer.map { ($0 as? MethodLayer)?.gate != nil } ?? true }

  /// Whether the hook runs a typed closure.
  var isTyped: Bool { layer != nil }
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
