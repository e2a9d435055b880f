internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes

/// The hooked methods of one object, associated with the object.
final class InstanceMethods: TypedHookOwner {
  private struct Method: Sendable {
    /// The method with the hooks that see frames, if there are or were any.
    var frames: HookedMethod?
    /// The typed hooks, around those.
    var typed = TypedHooks()
    /// Whether the class's slot counts it.
    ///
    /// It is changed together with the count, under the lock: otherwise another thread could
    /// subtract a method that is not counted yet.
    var isCounted = false

    /// Whether any hook runs in calls.
    var hooksCalls: Bool { frames?.hooksCalls ?? false || typed.isUsed }
  }

  private static let key = AssociationKey<InstanceMethods>("methods of an instance")

  private let dictionary: MethodDictionary
  private let methods = Locked(Methods())

  /// The methods by their selectors: few, so that comparing is faster than hashing.
  private struct Methods: Sendable {
    private(set) var list: [(selector: Selector, method: Method)] = []

    /// The place of a method.
    func index(of selector: Selector) -> Int? { list.firstIndex { $0.selector == selector } }

    /// The implementation with the hooks around it that apply to it; `.some(nil)` if there is none, nil
    /// if it is yet to be made.
    func made(_ selector: Selector, above ofClass: Implementation?) -> Implementation?? {
      guard let index = index(of: selector) else { return .some(ofClass) }
      let inner = inner(index, above: ofClass)
      guard let inner, list[index].method.typed.isUsed else { return .some(inner) }
      return list[index].method.typed.made(around: inner).map { .some($0) }
    }

    /// Makes that implementation.
    ///
    /// - Returns: The implementation, and what it replaces.
    mutating func make(
      _ selector: Selector, above ofClass: Implementation?
    ) -> (Implementation?, replaced: Method?) {
      guard let index = index(of: selector), let inner = inner(index, above: ofClass) else {
        return (ofClass, nil)
      }
      let last = list[index].method
      return (list[index].method.typed.around(inner), last)
    }

    /// The implementation inside of the typed hooks.
    private func inner(_ index: Int, above ofClass: Implementation?) -> Implementation? {
      if let frames = list[index].method.frames, frames.hooksCalls(of: ofClass) { return frames }
      return ofClass
    }

    subscript(selector: Selector, default value: @autoclosure () -> Method) -> Method {
      get { self[selector] ?? value() }
      set { self[selector] = newValue }
    }

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
      method.frames?.retire()
      if method.isCounted { dictionary.count(instances: -1, selector).release() }
    }
  }

  /// The methods of an object; created if there are none.
  ///
  /// - Throws: The reason if the object can have no associated values.
  private static func methods(
    of object: any MessageReceiver, _ selector: Selector
  ) throws(MessageError) -> InstanceMethods {
    do throws(LifetimeError) {
      return try key.value(of: object, default: InstanceMethods(object._messageClass.methods))
    } catch {
      throw MessageError(error, consequence: "`\(selector)` was not hooked")
    }
  }

  // MARK: - Calls

  /// The implementation that messages of an object run: its class's, with those of the object's hooks
  /// that apply to it.
  static func method(
    _ selector: Selector, of object: any MessageReceiver, above ofClass: Implementation?
  ) -> Implementation? {
    guard let own = key.value(of: object) else { return ofClass }
    if let made = own.methods.withLock({ $0.made(selector, above: ofClass) }) { return made }
    // What is replaced is released under no lock.
    let (method, last) = own.methods.withLock { $0.make(selector, above: ofClass) }
    withExtendedLifetime(last) {}
    return method
  }

  // MARK: - Hooks that see frames

  /// The hooked method of an object; nil if it never was hooked by a frame.
  static func existing(_ selector: Selector, of object: any MessageReceiver) -> HookedMethod? {
    key.value(of: object)?.methods.withLock { $0[selector]?.frames }
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
    let own = try methods(of: object, selector)
    let known = own.methods.withLock { $0[selector]?.frames }
    if let known, try known.fits(implementation.interface, selector) { return known }
    let made = try HookedMethod(
      selector, implementation, hooksChanged: { [weak own] in own?.changed(selector) },
      inner: dictionary.slot(selector).ofClass, of: dictionary.receiverClass)
    let (kept, last) = own.methods.withLock { methods in
      let last = methods[selector]
      if let kept = last?.frames, kept !== known { return (kept, nil as Method?) }
      methods[selector, default: Method()].frames = made
      return (made, last)
    }
    withExtendedLifetime(last) {}
    return kept
  }

  // MARK: - Typed hooks

  /// Installs a typed hook.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`, and the reason if the object can have no
  ///   associated values.
  static func installHook(
    _ request: TypedHookRequest, _ name: String?, _ priority: Int,
    _ make: @escaping @Sendable (Implementation, AnyClass) -> Implementation,
    of object: any MessageReceiver
  ) throws(MessageError) -> MethodHook {
    let selector = request.selector
    let dictionary = object._messageClass.methods
    guard let method = dictionary.effective(selector) else {
      throw dictionary.noSuchMethod(selector)
    }
    let interface = try request.interface(for: method, of: dictionary.receiverClass)
    let own = try methods(of: object, selector)
    let hook = MethodHook(selector, name: name, priority: priority, in: own)
    own.changeTypedHooks(of: selector) {
      $0.insert(
        TypedHooks.Layer(hook: hook, interface: interface) {
          [receiverClass = dictionary.receiverClass] in
          make($0, receiverClass)
        })
    }
    return hook
  }

  func has(_ hook: MethodHook) -> Bool {
    methods.withLock { $0[hook.selector]?.typed.has(hook) ?? false }
  }

  func remove(_ hook: MethodHook) -> Bool {
    changeTypedHooks(of: hook.selector) { $0.remove(hook) } != nil
  }

  /// Changes the typed hooks of a method; the replaced hooks are released under no lock.
  @discardableResult
  private func changeTypedHooks<Outcome>(
    of selector: Selector, _ change: (inout TypedHooks) -> Outcome
  ) -> Outcome {
    let (outcome, last) = methods.withLock { methods in
      let last = methods[selector]
      return (change(&methods[selector, default: Method()].typed), last)
    }
    withExtendedLifetime(last) {}
    changed(selector)
    return outcome
  }

  /// Lets the class's slot know whether the object has hooks.
  private func changed(_ selector: Selector) {
    _ = dictionary.slot(selector)
    let replaced = methods.withLock { methods -> MethodDictionary.Replaced? in
      guard var method = methods[selector], method.isCounted != method.hooksCalls else {
        return nil
      }
      method.isCounted.toggle()
      methods[selector] = method
      return dictionary.count(instances: method.isCounted ? 1 : -1, selector)
    }
    replaced?.release()
  }
}
