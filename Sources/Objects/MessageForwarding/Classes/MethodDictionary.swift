private import BlockRuntimeThreads
internal import Invocations

/// The instance methods or the class methods of a class, with those that it inherits.
///
/// One lock for all classes guards the dictionaries; messages read the implementations from slots,
/// without the lock. No foreign code runs under the lock.
final class MethodDictionary: TypedHookOwner, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: `lock` guards all variables; the constants are immutable.

  /// The key by which the slots are found: the address of a Swift class, or an odd number.
  let identity: UInt

  /// Whether another dictionary reuses the slots after this one has died; not for those of a Swift
  /// class, which are found by its address.
  private let givesSlotsBack: Bool

  /// The class of the receivers.
  let receiverClass: AnyClass

  /// The dictionary of inherited methods.
  let inherited: MethodDictionary?

  private var inheriting: [ObjectIdentifier: WeakDictionary] = [:]
  private var own: [Selector: Implementation] = [:]
  private var hooked: [Selector: HookedMethod] = [:]
  private var typed: [Selector: TypedHooks] = [:]
  private var slots: [Selector: SentSlot] = [:]

  private struct WeakDictionary { weak var dictionary: MethodDictionary? }

  /// The slot of a selector that was sent.
  private struct SentSlot {
    let slot: MethodSlot
    /// How many instances have hooks of their own of that method.
    var instanceCount = 0
    /// Whether the class's method is or was hooked.
    var isHooked = false
  }

  private static let lock = Locked(())

  /// Creates a dictionary without methods of its own.
  ///
  /// - Parameters:
  ///   - address: The address of a Swift class, for the methods of its instances; otherwise nil.
  ///   - receiverClass: The class of the receivers.
  ///   - inherited: The dictionary of inherited methods.
  init(
    _ address: UInt? = nil, of receiverClass: AnyClass, inheriting inherited: MethodDictionary?
  ) {
    let spare = address.map { SpareSlots(identity: $0, slots: [:]) } ?? SpareSlots.take()
    identity = spare.identity
    givesSlotsBack = address == nil
    self.receiverClass = receiverClass
    self.inherited = inherited
    slots = spare.slots.mapValues { SentSlot(slot: $0) }
    guard let inherited else { return }
    let replaced = Self.lock.withLock { _ in
      inherited.inheriting[ObjectIdentifier(self)] = WeakDictionary(dictionary: self)
      var replaced = Replaced()
      for selector in slots.keys { update(selector, &replaced) }
      return replaced
    }
    replaced.release()
  }

  deinit {
    let replaced = Self.lock.withLock { _ in
      inherited?.inheriting[ObjectIdentifier(self)] = nil
      var replaced = Replaced()
      for sent in slots.values {
        replaced.implementations += sent.slot.set(current: nil, ofClass: nil, inner: nil)
      }
      return replaced
    }
    replaced.release()
    guard givesSlotsBack else { return }
    SpareSlots(identity: identity, slots: slots.mapValues(\.slot)).giveBack()
  }

  /// The slot of a selector, created if there is none, and stored in the cache.
  func slot(_ selector: Selector) -> MethodSlot {
    let (slot, replaced) = Self.lock.withLock { _ in
      if let sent = slots[selector] { return (sent.slot, Replaced()) }
      let slot = MethodSlot(identity, selector)
      slots[selector] = SentSlot(slot: slot)
      var replaced = Replaced()
      update(selector, &replaced)
      return (slot, replaced)
    }
    replaced.release()
    slot.cache()
    return slot
  }

  /// The names of the methods that the class does not inherit.
  var ownSelectors: [Selector] { Self.lock.withLock { _ in Array(own.keys) } }

  /// The names of all methods, own and inherited.
  var allSelectors: [Selector] {
    Self.lock.withLock { _ in
      var all: Set<Selector> = []
      var dictionary: MethodDictionary? = self
      while let current = dictionary {
        all.formUnion(current.own.keys)
        dictionary = current.inherited
      }
      return Array(all)
    }
  }

  /// Returns the names of all methods when it is called, without keeping a class alive that can die.
  var names: @Sendable () -> [String] {
    guard givesSlotsBack else { return { self.allSelectors.map(\.name) } }
    return { [weak self] in self?.allSelectors.map(\.name) ?? [] }
  }

  /// The implementation of the class's own method, without hooks.
  func ownImplementation(_ selector: Selector) -> Implementation? {
    Self.lock.withLock { _ in own[selector] }
  }

  /// The implementation of a method, own or inherited, without hooks; and the dictionary that has
  /// it.
  func implementation(
    _ selector: Selector
  ) -> (implementation: Implementation, owner: MethodDictionary)? {
    Self.lock.withLock { _ in
      var dictionary: MethodDictionary? = self
      while let current = dictionary {
        if let implementation = current.own[selector] { return (implementation, current) }
        dictionary = current.inherited
      }
      return nil
    }
  }

  /// The implementation that messages run, with the class's hooks.
  func effective(_ selector: Selector) -> Implementation? {
    Self.lock.withLock { _ in lookUp(selector) }
  }

  /// Sets the implementation of the class's own method.
  ///
  /// - Parameters:
  ///   - implementation: The implementation.
  ///   - selector: The name.
  ///   - isReplacing: Whether an existing implementation is replaced.
  /// - Returns: Whether there was none, and the previous one.
  @discardableResult
  func set(
    _ implementation: Implementation, _ selector: Selector, replacing isReplacing: Bool
  ) -> (isNew: Bool, last: Implementation?) {
    // A method of another class would be called with receivers that are not its own.
    let implementation =
      implementation.refusal(of: receiverClass).map { .invalid($0, selector) } ?? implementation
    let (last, replaced) = Self.lock.withLock { _ in
      let last = own[selector]
      var replaced = Replaced()
      if last != nil && !isReplacing { return (last, replaced) }
      own[selector] = implementation
      updateAll(selector, &replaced)
      return (last, replaced)
    }
    replaced.release()
    return (last == nil, last)
  }

  /// Removes the implementation of the class's own method.
  ///
  /// - Parameters:
  ///   - implementation: The implementation to remove, if it is still the class's own; any if nil.
  ///   - selector: The name.
  /// - Returns: The removed implementation; nil if none was removed.
  func remove(_ implementation: Implementation?, _ selector: Selector) -> Implementation? {
    let (last, replaced) = Self.lock.withLock { _ in
      guard let last = own[selector], implementation == nil || last === implementation else {
        return (nil as Implementation?, Replaced())
      }
      own[selector] = nil
      var replaced = Replaced()
      updateAll(selector, &replaced)
      return (last, replaced)
    }
    replaced.release()
    return last
  }

  /// Exchanges the implementations of two methods, each in the dictionary that has it, if they are
  /// those that the caller has checked.
  ///
  /// - Returns: False if another thread has replaced one of them.
  static func exchange(
    _ first: (owner: MethodDictionary, Selector, Implementation),
    _ second: (owner: MethodDictionary, Selector, Implementation)
  ) -> Bool {
    let replaced = lock.withLock { _ -> Replaced? in
      guard first.owner.own[first.1] === first.2, second.owner.own[second.1] === second.2 else {
        return nil
      }
      first.owner.own[first.1] = second.2
      second.owner.own[second.1] = first.2
      var replaced = Replaced()
      first.owner.updateAll(first.1, &replaced)
      second.owner.updateAll(second.1, &replaced)
      return replaced
    }
    replaced?.release()
    return replaced != nil
  }

  /// Removes all methods and ends their hooks, because the class, or the object that had them, has
  /// died or was disposed of.
  func removeAll() {
    let (methods, hooks, replaced) = Self.lock.withLock { _ in
      let methods = (own, typed)
      let hooks = hooked
      own = [:]
      typed = [:]
      hooked = [:]
      var replaced = Replaced()
      for selector in slots.keys { update(selector, &replaced) }
      return (methods, hooks, replaced)
    }
    replaced.release()
    for hook in hooks.values { hook.retire() }
    withExtendedLifetime(methods) {}
  }

  // MARK: - Hooks

  /// The hooked method of a name; nil if the method never was hooked.
  func hookedMethod(existing selector: Selector) -> HookedMethod? {
    Self.lock.withLock { _ in hooked[selector] }
  }

  /// The slot of a method that is about to be hooked.
  func hookedSlot(_ selector: Selector) -> MethodSlot {
    let slot = slot(selector)
    Self.lock.withLock { _ in slots[selector]?.isHooked = true }
    hooksChanged(selector)
    return slot
  }

  /// Stores a hooked method in place of one that no longer fits, unless another thread has stored
  /// one.
  ///
  /// - Returns: The method that is stored.
  func keep(
    _ method: HookedMethod, _ selector: Selector, inPlaceOf known: HookedMethod?
  ) -> HookedMethod {
    let (kept, last) = Self.lock.withLock { _ in
      if let kept = hooked[selector], kept !== known { return (kept, nil as HookedMethod?) }
      let last = hooked[selector]
      hooked[selector] = method
      return (method, last)
    }
    withExtendedLifetime(last) {}
    return kept
  }

  /// The implementation inside of the class's hooks of a method: its own, or the inherited one.
  func innerMethod(_ selector: Selector) -> Implementation? {
    Self.lock.withLock { _ in lookUpInner(selector) }
  }

  /// Installs a typed hook.
  func install(_ layer: TypedHooks.Layer) {
    changeTypedHooks(of: layer.hook.selector) { $0.insert(layer) }
  }

  func has(_ hook: MethodHook) -> Bool {
    Self.lock.withLock { _ in typed[hook.selector]?.has(hook) ?? false }
  }

  func remove(_ hook: MethodHook) -> Bool {
    changeTypedHooks(of: hook.selector) { $0.remove(hook) } != nil
  }

  /// Changes the typed hooks of a method; the replaced hooks are released under no lock.
  @discardableResult
  private func changeTypedHooks<Outcome>(
    of selector: Selector, _ change: (inout TypedHooks) -> Outcome
  ) -> Outcome {
    let (outcome, last, replaced) = Self.lock.withLock { _ in
      let last = typed[selector]
      let outcome = change(&typed[selector, default: TypedHooks()])
      if typed[selector]?.isUsed == false { typed[selector] = nil }
      var replaced = Replaced()
      updateAll(selector, &replaced)
      return (outcome, last, replaced)
    }
    replaced.release()
    withExtendedLifetime(last) {}
    return outcome
  }

  /// Updates the slots of a method after its hooks were installed or removed.
  func hooksChanged(_ selector: Selector) {
    let replaced = Self.lock.withLock { _ in
      var replaced = Replaced()
      updateAll(selector, &replaced)
      return replaced
    }
    replaced.release()
  }

  /// Counts an instance that has hooks of its own of a method, or no longer has any; the method
  /// must have a slot.
  ///
  /// - Returns: The replaced implementations, which the caller must release under no lock.
  func count(instances difference: Int, _ selector: Selector) -> Replaced {
    Self.lock.withLock { _ in
      slots[selector]?.instanceCount += difference
      var replaced = Replaced()
      update(selector, &replaced)
      return replaced
    }
  }

  // MARK: - Functions that are called under the lock

  private func lookUp(_ selector: Selector) -> Implementation? {
    var dictionary: MethodDictionary? = self
    while let current = dictionary {
      if let hooked = current.hooked[selector] {
        let inner = current.lookUpInner(selector)
        return hooked.hooksCalls(of: inner) ? hooked : inner
      }
      if current.typed[selector] != nil { return current.lookUpInner(selector) }
      if let implementation = current.own[selector] { return implementation }
      dictionary = current.inherited
    }
    return nil
  }

  /// The implementation inside of the class's hooks that see frames: with its typed ones.
  private func lookUpInner(_ selector: Selector) -> Implementation? {
    let inner = own[selector] ?? inherited?.lookUp(selector)
    return inner.map { typed[selector]?.around($0) ?? $0 }
  }

  /// Updates the slot of a selector, if there is one.
  private func update(_ selector: Selector, _ replaced: inout Replaced) {
    guard let sent = slots[selector] else { return }
    let ofClass = lookUp(selector)
    let current = sent.instanceCount > 0 ? InstanceDispatch.shared : ofClass
    let inner = sent.isHooked ? lookUpInner(selector) : nil
    replaced.implementations += sent.slot.set(current: current, ofClass: ofClass, inner: inner)
  }

  /// Updates the slots of a selector in this dictionary and all that inherit from it.
  private func updateAll(_ selector: Selector, _ replaced: inout Replaced) {
    update(selector, &replaced)
    for one in inheriting.values.compactMap(\.dictionary) {
      replaced.dictionaries.append(one)
      one.updateAll(selector, &replaced)
    }
  }

  /// Objects to release outside of the lock, because they may hold the last reference to foreign
  /// code.
  struct Replaced {
    fileprivate var implementations: [ReplacedImplementation] = []
    fileprivate var dictionaries: [MethodDictionary] = []

    func release() {
      for implementation in implementations { implementation.release() }
    }
  }
}
