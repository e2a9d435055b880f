internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes

/// The hooked methods of one object, associated with the object.
final class InstanceMethods: Sendable {
  private struct Method: Sendable {
    let method: HookedMethod
    /// Whether the class's slot counts it.
    ///
    /// It is changed together with the count, under the lock: otherwise another thread could
    /// subtract a method that is not counted yet.
    var isCounted = false
  }

  private static let key = AssociationKey<InstanceMethods>("methods of an instance")

  private let dictionary: MethodDictionary
  private let methods = Locked(Methods())

  /// The methods by their selectors: few, so that comparing is faster than hashing.
  private struct Methods: Sendable {
    private(set) var list: [(selector: Selector, method: Method)] = []

    subscript(selector: Selector) -> Method? {
      get { list.first { $0.selector == selector }?.method }
      set {
        list.removeAll { $0.selector == selector }
        if let newValue { list.append((selector, newValue)) }
      }
    }
  }

  private init(_ dictionary: MethodDictionary) { self.dictionary = dictionary }

  deinit {
    for (selector, method) in methods.withLock({ $0.list }) {
      method.method.retire()
      if method.isCounted { dictionary.count(instances: -1, selector).release() }
    }
  }

  /// The hooked method of an object, if it has hooks that apply to its class's implementation.
  static func method(
    _ selector: Selector, of object: any MessageReceiver, above ofClass: Implementation?
  ) -> HookedMethod? {
    guard let found = existing(selector, of: object), found.hooksCalls(of: ofClass) else {
      return nil
    }
    return found
  }

  /// The method of an object that is or was hooked; nil if it never was.
  static func existing(_ selector: Selector, of object: any MessageReceiver) -> HookedMethod? {
    key.value(of: object)?.methods.withLock { $0[selector]?.method }
  }

  /// The hooked method of an object; created if there is none.
  ///
  /// - Throws: `noSuchMethod`, the errors of `HookedMethod`, and the reason if the object can have
  ///   no associated values.
  static func hookedMethod(
    _ selector: Selector, of object: any MessageReceiver
  ) throws(MessageError) -> HookedMethod {
    let dictionary = object._messageClass.methods
    guard let implementation = dictionary.effective(selector) else {
      throw dictionary.noSuchMethod(selector)
    }
    let own: InstanceMethods
    do throws(LifetimeError) {
      own = try key.value(of: object, default: InstanceMethods(dictionary))
    } catch {
      throw MessageError(error, consequence: "`\(selector)` was not hooked")
    }
    let known = own.methods.withLock { $0[selector]?.method }
    if let known, try known.fits(implementation.interface, selector) { return known }
    let made = try HookedMethod(
      selector, implementation, hooksChanged: { [weak own] in own?.changed(selector) },
      below: dictionary.slot(selector).ofClass, of: dictionary.receiverClass)
    let (kept, last) = own.methods.withLock { methods in
      let last = methods[selector]
      if let last, last.method !== known { return (last.method, nil as Method?) }
      methods[selector] = Method(method: made, isCounted: last?.isCounted ?? false)
      return (made, last)
    }
    withExtendedLifetime(last) {}
    return kept
  }

  private func changed(_ selector: Selector) {
    _ = dictionary.slot(selector)
    let replaced = methods.withLock { methods -> MethodDictionary.Replaced? in
      guard var method = methods[selector], method.isCounted != method.method.hooksCalls else {
        return nil
      }
      method.isCounted.toggle()
      methods[selector] = method
      return dictionary.count(instances: method.isCounted ? 1 : -1, selector)
    }
    replaced?.release()
  }
}
