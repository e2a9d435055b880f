internal import BlockRuntimeThreads
internal import Invocations

/// The instance methods or the class methods of a class, with those that it inherits.
///
/// One lock for all classes guards the dictionaries; messages read the implementations from slots,
/// without the lock. No foreign code runs under the lock.
final class MethodDictionary: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: `lock` guards all variables; the constants are immutable.

  /// The key by which the slots are found: the address of a Swift class, or an odd number.
  let identity: UInt

  /// Whether another dictionary reuses the slots after this one has died; not the slots of a Swift
  /// class, which are found by the class's address.
  private let givesSlotsBack: Bool

  /// The class of the receivers.
  let receiverClass: AnyClass

  /// The dictionary of inherited methods.
  let inherited: MethodDictionary?

  var heirs: [ObjectIdentifier: WeakDictionary] = [:]
  var own: [Selector: Implementation] = [:]
  var hooked: [Selector: HookedPlace] = [:]
  var slots: [Selector: SentSlot] = [:]

  /// The bodies of a Swift class's own methods that Swift calls run; nil for a method whose calls
  /// ask no slot.
  var bodies: [Selector: CalledMethod?] = [:]

  struct WeakDictionary { weak var dictionary: MethodDictionary? }

  /// The slot of a selector that was sent.
  struct SentSlot {
    let slot: MethodSlot
    /// How many instances have hooks of their own of that method.
    var instanceCount = 0
  }

  static let lock = Locked(())

  /// The hooks of every message of the class, and of its instances.
  let everyMessage = EveryMessageHooks()

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
    Self.change { replaced in
      inherited.heirs[ObjectIdentifier(self)] = WeakDictionary(dictionary: self)
      for selector in slots.keys { update(selector, &replaced) }
    }
  }

  deinit {
    Self.change { replaced in
      inherited?.heirs[ObjectIdentifier(self)] = nil
      for sent in slots.values {
        replaced.implementations += sent.slot.set(current: nil, ofClass: nil, inner: nil)
      }
    }
    guard givesSlotsBack else { return }
    SpareSlots(identity: identity, slots: slots.mapValues(\.slot)).giveBack()
  }

  /// Changes dictionaries under the lock, and then releases what the change replaced.
  static func change<Outcome: Sendable>(
    _ body: (inout ReplacedMethods) -> Outcome
  ) -> Outcome {
    let (outcome, replaced) = lock.withLock { _ in
      var replaced = ReplacedMethods()
      let outcome = body(&replaced)
      return (outcome, replaced)
    }
    replaced.release()
    return outcome
  }

  /// The slot of a selector, created if there is none, and stored in the cache of slots.
  func slot(_ selector: Selector) -> MethodSlot {
    let slot = Self.change { replaced in
      if let sent = slots[selector] { return sent.slot }
      let slot = MethodSlot(identity, selector)
      slots[selector] = SentSlot(slot: slot)
      update(selector, &replaced)
      return slot
    }
    slot.cache()
    return slot
  }

  /// The names of the methods that the class does not inherit.
  var ownSelectors: [Selector] { Self.lock.withLock { _ in Array(own.keys) } }

  /// The names of all methods, own and inherited.
  var allSelectors: [Selector] {
    Self.lock.withLock { _ in Array(Set(lineage.flatMap(\.own.keys))) }
  }

  /// The dictionary and those from which it inherits, the nearest first.
  var lineage: some Sequence<MethodDictionary> { sequence(first: self, next: \.inherited) }

  /// Returns the names of all methods when it is called, without keeping a class alive that can
  /// die.
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
      for dictionary in lineage {
        if let implementation = dictionary.own[selector] { return (implementation, dictionary) }
      }
      return nil
    }
  }

  /// The implementation that messages run, with the class's hooks.
  func effective(_ selector: Selector) -> Implementation? {
    Self.change { lookUp(selector, &$0) }
  }

  /// Sets the implementation of the class's own method.
  ///
  /// - Parameters:
  ///   - implementation: The implementation.
  ///   - selector: The name.
  ///   - isReplacing: Whether an existing implementation is replaced.
  /// - Returns: Whether the class had no such method of its own, and its previous implementation.
  @discardableResult
  func set(
    _ implementation: Implementation, _ selector: Selector, replacing isReplacing: Bool
  ) -> (isNew: Bool, last: Implementation?) {
    // A method of another class would be called with receivers that are not its own.
    let implementation =
      implementation.refusal(of: receiverClass).map { .invalid($0, selector) } ?? implementation
    let (last, heirs) = Self.change { replaced -> (Implementation?, [MethodDictionary]) in
      let last = own[selector]
      if last != nil && !isReplacing { return (last, []) }
      own[selector] = implementation
      updateAll(selector, &replaced)
      return (last, replaced.dictionaries)
    }
    if last == nil {
      for one in [self] + heirs { one.everyMessage.methodWasAdded(selector) }
    }
    return (last == nil, last)
  }

  /// Removes the implementation of the class's own method.
  ///
  /// - Parameters:
  ///   - implementation: The implementation to remove, if it is still the class's own; any if nil.
  ///   - selector: The name.
  /// - Returns: The removed implementation; nil if none was removed.
  func remove(_ implementation: Implementation?, _ selector: Selector) -> Implementation? {
    Self.change { replaced in
      guard let last = own[selector], implementation == nil || last === implementation else {
        return nil
      }
      own[selector] = nil
      hooked[selector]?.forgetMade(&replaced)
      updateAll(selector, &replaced)
      return last
    }
  }

  /// Exchanges the implementations of two methods, each in the dictionary that has it, if they are
  /// those that the caller has checked.
  ///
  /// - Returns: False if another thread has replaced one of them.
  static func exchange(
    _ first: (owner: MethodDictionary, Selector, Implementation),
    _ second: (owner: MethodDictionary, Selector, Implementation)
  ) -> Bool {
    change { replaced in
      guard first.owner.own[first.1] === first.2, second.owner.own[second.1] === second.2 else {
        return false
      }
      first.owner.own[first.1] = second.2
      second.owner.own[second.1] = first.2
      first.owner.updateAll(first.1, &replaced)
      second.owner.updateAll(second.1, &replaced)
      return true
    }
  }

  /// Removes all methods and ends their hooks, because the class, or the object that had them, has
  /// died or was disposed of.
  func removeAll() {
    let last = Self.change { replaced in
      let last = (own: own, hooked: hooked)
      (own, hooked) = ([:], [:])
      for selector in slots.keys { update(selector, &replaced) }
      return last
    }
    for place in last.hooked.values { place.hooks.endWithOwner() }
  }

  // MARK: - Functions that are called under the lock

  func lookUp(
    _ selector: Selector, _ replaced: inout ReplacedMethods
  ) -> Implementation? {
    for dictionary in lineage {
      if let hooked = dictionary.hooked[selector] {
        return dictionary.lookUpInner(selector, &replaced).map { hooked.around($0, &replaced) }
      }
      if let implementation = dictionary.own[selector] { return implementation }
    }
    return nil
  }

  /// The implementation inside of the class's hooks.
  func lookUpInner(
    _ selector: Selector, _ replaced: inout ReplacedMethods
  ) -> Implementation? {
    own[selector] ?? inherited?.lookUp(selector, &replaced)
  }

  /// Updates the slot of a selector, if there is one.
  func update(_ selector: Selector, _ replaced: inout ReplacedMethods) {
    guard let sent = slots[selector] else { return }
    let ofClass = lookUp(selector, &replaced)
    let current = sent.instanceCount > 0 ? InstanceDispatch.shared : ofClass
    let inner = hooked[selector] != nil ? lookUpInner(selector, &replaced) : nil
    replaced.implementations += sent.slot.set(current: current, ofClass: ofClass, inner: inner)
    sent.slot.called = called(selector)?.word ?? 0
  }

  /// Updates the slots of a selector in this dictionary and all that inherit from it.
  func updateAll(_ selector: Selector, _ replaced: inout ReplacedMethods) {
    updateSlots(selector, &replaced)
    updateCalls(selector, &replaced)
  }

  private func updateSlots(_ selector: Selector, _ replaced: inout ReplacedMethods) {
    update(selector, &replaced)
    for one in heirs.values.compactMap(\.dictionary) {
      replaced.dictionaries.append(one)
      one.updateSlots(selector, &replaced)
    }
  }
}
