private import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes

/// The methods that one object has of its own, and the hooks of all its methods, associated with
/// the object.
final class InstanceMethods: HookedMethods {
  private static let key = AssociationKey<InstanceMethods>("methods of an instance")

  private let dictionary: MethodDictionary

  private struct State {
    /// The hooked methods: so few that comparing selectors is faster than hashing.
    var places: [HookedPlace] = []

    /// The address of the object; nil once its deinit may run.
    var object: UInt?

    /// The place of a method.
    func place(of selector: Selector) -> HookedPlace? { places.first { $0.selector == selector } }
  }

  private let state: Locked<State>

  /// The methods that were added to the object; nil if none ever was.
  private let added = Locked<MethodDictionary?>(nil)

  private init(_ object: any MessageReceiver) throws(LifetimeError) {
    dictionary = object._messageClass.methods
    state = Locked(State(object: UInt(bitPattern: ObjectIdentifier(object))))
    try onDeinit(of: object, .before) { [weak self] in self?.giveSlotsBack() }
  }

  /// Lets messages look the methods up, so that a later object at the address does not find them.
  private func giveSlotsBack() {
    let replaced = state.withLock { state in
      var replaced = ReplacedMethods()
      state.object = nil
      for place in state.places { place.giveSlotBack(&replaced) }
      return replaced
    }
    replaced.release()
  }

  var everyMessage: EveryMessageHooks { dictionary.everyMessage }

  var allSelectors: [Selector] {
    dictionary.allSelectors + (ownMethods?.ownSelectors ?? [])
  }

  deinit {
    for place in state.withLock({ $0.places }) {
      place.hooks.endWithOwner()
      if place.isCounted { dictionary.count(instances: -1, place.selector).release() }
    }
    guard let ownMethods else { return }
    for selector in ownMethods.ownSelectors {
      dictionary.count(instances: -1, selector).release()
    }
    ownMethods.removeAll()
  }

  /// The implementation that messages of an object run: its own or its class's, with the object's
  /// hooks around it.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - object: The object.
  ///   - slot: The slot of its class.
  /// - Returns: The implementation; nil if there is none.
  static func method(
    _ selector: Selector, of object: any MessageReceiver, _ slot: MethodSlot
  ) -> Implementation? {
    guard let own = key.value(of: object) else { return slot.ofClass.implementation }
    if let method = own.ownMethods?.effective(selector) { return method }
    // The hooks must be around the class's latest method. What that replaces is released under no
    // lock.
    let (made, replaced) = own.withState(and: slot) { state, ofClass in
      var replaced = ReplacedMethods()
      let place = state.place(of: selector)
      return (ofClass.map { place?.around($0, &replaced) ?? $0 }, replaced)
    }
    replaced.release()
    return made
  }

  /// The methods of an object, if they were ever changed.
  static func existing(of object: any MessageReceiver) -> InstanceMethods? {
    key.value(of: object)
  }

  /// The methods of an object, to be changed.
  ///
  /// - Throws: The reason if the object can have no associated values.
  static func of(_ object: any MessageReceiver) throws(MessageError) -> InstanceMethods {
    if let known = existing(of: object) { return known }
    do throws(LifetimeError) {
      let made = try InstanceMethods(object)
      return try key.value(of: object, default: made)
    } catch {
      throw MessageError(error, consequence: "the object's methods were not changed")
    }
  }

  /// The hooks of a method; nil if it never was hooked.
  func methodHooks(existing selector: Selector) -> MethodHooks? {
    ownMethods?.methodHooks(existing: selector)
      ?? state.withLock { $0.place(of: selector)?.hooks }
  }

  /// The hooks of a method; created if there are none.
  ///
  /// - Throws: `noSuchMethod`.
  func methodHooks(_ selector: Selector) throws(MessageError) -> MethodHooks {
    if let ownMethods, ownMethods.ownImplementation(selector) != nil {
      return try ownMethods.methodHooks(selector)
    }
    guard dictionary.effective(selector) != nil else { throw dictionary.noSuchMethod(selector) }
    let slot = dictionary.slot(selector)
    return state.withLock { state in
      if let place = state.place(of: selector) { return place.hooks }
      let hooks = MethodHooks(
        selector, of: dictionary.receiverClass, around: slot.ofClass
      ) { [weak self] in self?.changed(selector) }
      state.places.append(
        HookedPlace(selector, hooks, state.object.map { ObjectSlot($0, selector) }))
      return hooks
    }
  }

  // MARK: - The object's own methods

  private var ownMethods: MethodDictionary? { added.withLock { $0 } }

  /// Whether an implementation that was added is still the object's.
  func has(_ implementation: Implementation, _ selector: Selector) -> Bool {
    ownMethods?.ownImplementation(selector) === implementation
  }

  /// Adds a method, unless the object has its own method of that name.
  ///
  /// - Returns: Whether it was added.
  func add(_ implementation: Implementation, _ selector: Selector) -> Bool {
    let made = MethodDictionary(of: dictionary.receiverClass, inheriting: nil)
    let own = added.withLock { added in
      if added == nil { added = made }
      return added ?? made
    }
    // The method hides the class's, for which a slot of the object may hold the hooks: from now on
    // messages must look up.
    let replaced = state.withLock { state in
      var replaced = ReplacedMethods()
      state.place(of: selector)?.giveSlotBack(&replaced)
      return replaced
    }
    replaced.release()
    // The class's slot counts the object before it has the method, so that no message misses it.
    _ = dictionary.slot(selector)
    dictionary.count(instances: 1, selector).release()
    let isNew = own.set(implementation, selector, replacing: false).isNew
    if isNew {
      everyMessage.methodWasAdded(selector, to: self)
    } else {
      dictionary.count(instances: -1, selector).release()
    }
    return isNew
  }

  /// Removes a method that was added.
  ///
  /// - Returns: Whether this call removed it.
  func remove(_ implementation: Implementation, _ selector: Selector) -> Bool {
    guard ownMethods?.remove(implementation, selector) != nil else { return false }
    dictionary.count(instances: -1, selector).release()
    return true
  }

  /// Calls a closure under the lock with the class's latest implementation, which is looked up and
  /// released under no lock: both may free other methods.
  private func withState<Outcome: Sendable>(
    and slot: MethodSlot, _ body: (State, Implementation?) -> Outcome
  ) -> Outcome {
    while true {
      let ofClass = slot.ofClass.implementation
      defer { withExtendedLifetime(ofClass) {} }
      let outcome = state.withLock { state in
        slot.ofClass.isFilled(by: ofClass) ? body(state, ofClass) : nil
      }
      if let outcome { return outcome }
    }
  }

  /// Lets messages run the changed hooks, and tells the class's slot whether there are any.
  ///
  /// The implementation is made at once, so that nothing keeps hooks that were removed.
  private func changed(_ selector: Selector) {
    let (last, counted) = withState(and: dictionary.slot(selector)) { state, ofClass in
      var last = ReplacedMethods()
      guard let place = state.place(of: selector) else { return (last, nil as ReplacedMethods?) }
      place.forgetMade(&last)
      if let ofClass { _ = place.around(ofClass, &last) }
      if !place.hooks.hooksCalls { place.forgetMade(&last) }
      guard place.isCounted != place.hooks.hooksCalls else { return (last, nil) }
      place.isCounted.toggle()
      return (last, dictionary.count(instances: place.isCounted ? 1 : -1, selector))
    }
    counted?.release()
    last.release()
  }
}

extension InstanceMethods: ReferenceTable {
  package var label: String { "methods of the object" }
  package var contents: Any { (state.withLock { $0 }, ownMethods) }
}
