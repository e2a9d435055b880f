internal import BlockRuntimeThreads
internal import Invocations

/// The methods whose Swift calls run the hooks of messages.
extension MethodDictionary {
  /// Sets the method whose body Swift calls of the class's own method run; nil if the calls ask no
  /// slot.
  func setBody(_ called: CalledMethod?, _ selector: Selector) {
    Self.change { replaced in
      // A body that overrides no method whose calls ask a slot need not be known.
      guard called != nil || self.called(selector) != nil else { return }
      bodies[selector] = .some(called)
      updateAll(selector, &replaced)
    }
  }

  /// The dictionary where a Swift call of an inherited body begins: this one, or, in a call of
  /// `super`, the one above the last override.
  func start(of called: CalledMethod) -> MethodDictionary {
    Self.lock.withLock { _ in
      var start = self
      var current = self
      while current !== called.dictionary, let next = current.inherited {
        if current.bodies[called.selector] != nil { start = next }
        current = next
      }
      return start
    }
  }

  // MARK: - Functions that are called under the lock

  /// The method whose body Swift calls run for instances of the class.
  func called(_ selector: Selector) -> CalledMethod? {
    for dictionary in lineage {
      if let body = dictionary.bodies[selector] { return body }
    }
    return nil
  }

  /// Tells Swift calls of a method whether messages run more than its body.
  func updateCalls(_ selector: Selector, _ replaced: inout ReplacedMethods) {
    guard let called = called(selector) else { return }
    called.set(called.dictionary.change(of: selector, from: called.body, &replaced))
  }

  /// Whose messages of a method run more than a body, in this class or in one that inherits the
  /// method.
  private func change(
    of selector: Selector, from body: Implementation, _ replaced: inout ReplacedMethods
  ) -> CallHooks.Change {
    if hooked[selector]?.hooks.hooksCalls ?? false || own[selector].map({ $0 !== body }) ?? false {
      return .ofAll
    }
    var change = slots[selector]?.instanceCount ?? 0 > 0 ? CallHooks.Change.ofObjects : .none
    for one in heirs.values.compactMap(\.dictionary) {
      replaced.dictionaries.append(one)
      guard one.bodies[selector] == nil else { continue }
      change = max(change, one.change(of: selector, from: body, &replaced))
    }
    return change
  }
}
