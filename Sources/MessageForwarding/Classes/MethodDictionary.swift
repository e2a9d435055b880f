private import BlockRuntimeThreads
internal import Invocations

/// The methods of a class's instances, or of the class itself, with those inherited.
///
/// Everything that changes is guarded by one lock for all classes; what messages find is in slots,
/// which are read without it. No foreign code runs under the lock.
final class MethodDictionary: @unchecked Sendable {
  // SAFETY: the lock guards all that changes.

  /// What the slots of the dictionary are found by: the address of a Swift class, or an odd number.
  let identity: UInt

  /// Whether the slots are another's when this is gone; those of a Swift class are its own.
  private let givesSlotsBack: Bool

  /// The class that receivers are instances of.
  let receiverClass: AnyClass

  /// What inherited methods are looked up in.
  let inherited: MethodDictionary?

  private var inheriting: [ObjectIdentifier: WeakDictionary] = [:]
  private var own: [Selector: Implementation] = [:]
  private var hooked: [Selector: HookedMethod] = [:]
  private var slots: [Selector: Entry] = [:]

  private struct WeakDictionary { weak var dictionary: MethodDictionary? }

  /// What is known of a selector that was sent.
  private struct Entry {
    let slot: MethodSlot
    /// How many instances have methods of their own of that name.
    var instanceCount = 0
  }

  private static let lock = Locked(())

  /// Makes a dictionary without methods of its own.
  ///
  /// - Parameters:
  ///   - address: What its slots are found by, for the instances of a Swift class; nil for others.
  ///   - receiverClass: The class that receivers are instances of.
  ///   - inherited: What inherited methods are looked up in.
  init(
    _ address: UInt? = nil, of receiverClass: AnyClass, inheriting inherited: MethodDictionary?
  ) {
    let spare = address.map { SpareSlots(identity: $0, slots: [:]) } ?? SpareSlots.take()
    identity = spare.identity
    givesSlotsBack = address == nil
    self.receiverClass = receiverClass
    self.inherited = inherited
    slots = spare.slots.mapValues { Entry(slot: $0) }
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
      for entry in slots.values {
        replaced.implementations += entry.slot.set(current: nil, ofClass: nil)
      }
      return replaced
    }
    replaced.release()
    guard givesSlotsBack else { return }
    SpareSlots(identity: identity, slots: slots.mapValues(\.slot)).giveBack()
  }

  /// What messages of a selector find.
  func slot(_ selector: Selector) -> MethodSlot {
    let (slot, replaced) = Self.lock.withLock { _ in
      if let entry = slots[selector] { return (entry.slot, Replaced()) }
      let slot = MethodSlot(identity, selector)
      slots[selector] = Entry(slot: slot)
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

  /// The names of all methods, inherited ones too.
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

  /// The implementation of the class's own method, hooks aside.
  func ownImplementation(_ selector: Selector) -> Implementation? {
    Self.lock.withLock { _ in own[selector] }
  }

  /// The implementation of the method, inherited or not, hooks aside; and who has it.
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

  /// What messages enter, hooks included, whether of a slot or not.
  func effective(_ selector: Selector) -> Implementation? {
    Self.lock.withLock { _ in lookUp(selector) }
  }

  /// Puts an implementation in the place of the class's own.
  ///
  /// - Parameters:
  ///   - implementation: The implementation.
  ///   - selector: The name.
  ///   - isReplacing: Whether one that is there is replaced.
  /// - Returns: Whether there was none, and what there was.
  @discardableResult
  func set(
    _ implementation: Implementation, _ selector: Selector, replacing isReplacing: Bool
  ) -> (isNew: Bool, last: Implementation?) {
    // It would be entered with objects of another class.
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

  /// Takes an implementation out, if it is the class's own still.
  ///
  /// - Parameters:
  ///   - implementation: The implementation; nil for whatever there is.
  ///   - selector: The name.
  /// - Returns: What was taken out.
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

  /// Exchanges two methods, each where it stands, if they are what the caller saw.
  ///
  /// - Returns: False if another thread has changed one of them meanwhile.
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

  /// Takes all methods out: the class, or the object that had them, is gone.
  func removeAll() {
    let (methods, hooks, replaced) = Self.lock.withLock { _ in
      let methods = own
      let hooks = hooked
      own = [:]
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

  /// The method of a name that is or was hooked.
  func hookedMethod(existing selector: Selector) -> HookedMethod? {
    Self.lock.withLock { _ in hooked[selector] }
  }

  /// Keeps a hooked method in the place of one that is of no use, or gives the one that is kept.
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

  /// What lies below the class's hooks of a method: its own implementation, or what it inherits.
  func below(_ selector: Selector) -> Implementation? {
    Self.lock.withLock { _ in own[selector] ?? inherited?.lookUp(selector) }
  }

  /// Has messages find what there is now: hooks of a method were installed or removed.
  func hooksChanged(_ selector: Selector) {
    let replaced = Self.lock.withLock { _ in
      var replaced = Replaced()
      updateAll(selector, &replaced)
      return replaced
    }
    replaced.release()
  }

  /// Notes that an instance has a method of its own, or has it no longer; there is a slot for it.
  ///
  /// - Returns: What messages do not find any more; let go of it under no lock.
  func count(instances difference: Int, _ selector: Selector) -> Replaced {
    Self.lock.withLock { _ in
      slots[selector]?.instanceCount += difference
      var replaced = Replaced()
      update(selector, &replaced)
      return replaced
    }
  }

  // MARK: - Under the lock

  private func lookUp(_ selector: Selector) -> Implementation? {
    var dictionary: MethodDictionary? = self
    while let current = dictionary {
      if let hooked = current.hooked[selector] {
        let below = current.own[selector] ?? current.inherited?.lookUp(selector)
        return hooked.hooksCalls(of: below) ? hooked : below
      }
      if let implementation = current.own[selector] { return implementation }
      dictionary = current.inherited
    }
    return nil
  }

  /// Brings the slot of a selector up to date, if there is one.
  private func update(_ selector: Selector, _ replaced: inout Replaced) {
    guard let entry = slots[selector] else { return }
    let ofClass = lookUp(selector)
    let current = entry.instanceCount > 0 ? InstanceDispatch.shared : ofClass
    replaced.implementations += entry.slot.set(current: current, ofClass: ofClass)
  }

  /// The same for all classes that inherit from this.
  private func updateAll(_ selector: Selector, _ replaced: inout Replaced) {
    update(selector, &replaced)
    for one in inheriting.values.compactMap(\.dictionary) {
      replaced.dictionaries.append(one)
      one.updateAll(selector, &replaced)
    }
  }

  /// What may hold the last reference to foreign code: it is let go of when the lock is free.
  struct Replaced {
    fileprivate var implementations: [ReplacedImplementation] = []
    fileprivate var dictionaries: [MethodDictionary] = []

    func release() {
      for implementation in implementations { implementation.release() }
    }
  }
}

/// What messages enter where some instance of the class has a method of its own: each looks for the
/// receiver's.
final class InstanceDispatch: Implementation, @unchecked Sendable {
  static let shared = InstanceDispatch()
}
