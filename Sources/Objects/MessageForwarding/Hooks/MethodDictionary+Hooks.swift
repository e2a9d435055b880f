internal import BlockRuntimeThreads
internal import Invocations

/// The hooks of a class's methods.
extension MethodDictionary {
  /// The hooks of a method; nil if it never was hooked.
  func methodHooks(existing selector: Selector) -> MethodHooks? {
    Self.lock.withLock { _ in hooked[selector]?.hooks }
  }

  /// The hooks of a method; created if there are none.
  ///
  /// - Throws: `noSuchMethod`.
  func methodHooks(_ selector: Selector) throws(MessageError) -> MethodHooks {
    guard innerMethod(selector) != nil else { throw noSuchMethod(selector) }
    // Messages find the method with its hooks in a slot.
    let slot = slot(selector)
    return Self.change { replaced in
      if let known = hooked[selector]?.hooks { return known }
      let hooks = MethodHooks(selector, of: receiverClass, around: slot.inner) { [weak self] in
        self?.hooksChanged(selector)
      }
      hooked[selector] = HookedPlace(selector, hooks)
      update(selector, &replaced)
      return hooks
    }
  }

  /// The implementation inside of the class's hooks of a method: its own, or the inherited one.
  func innerMethod(_ selector: Selector) -> Implementation? {
    Self.change { lookUpInner(selector, &$0) }
  }

  /// Updates the slots of a method after its hooks were installed or removed.
  private func hooksChanged(_ selector: Selector) {
    Self.change { replaced in
      hooked[selector]?.forgetMade(&replaced)
      updateAll(selector, &replaced)
    }
  }

  /// Counts an instance that begins or ceases to have its own hooks of a method, which must have a
  /// slot.
  ///
  /// - Returns: The replaced implementations, which the caller must release under no lock.
  func count(instances difference: Int, _ selector: Selector) -> ReplacedMethods {
    Self.lock.withLock { _ in
      slots[selector]?.instanceCount += difference
      var replaced = ReplacedMethods()
      update(selector, &replaced)
      updateCalls(selector, &replaced)
      return replaced
    }
  }
}
