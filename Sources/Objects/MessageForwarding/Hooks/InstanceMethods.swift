private import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes

/// The methods that one object has of its own, and the hooks of all its methods, associated with the
/// object.
final class InstanceMethods: HookedMethods {
  private static let key = AssociationKey<InstanceMethods>("methods of an instance")

  private let dictionary: MethodDictionary

  /// The methods by their selectors: few, so that comparing is faster than hashing.
  private let methods = Locked<[HookedPlace]>([])

  /// The methods that were added to the object; nil if none ever was.
  private let added = Locked<MethodDictionary?>(nil)

  private init(_ dictionary: MethodDictionary) { self.dictionary = dictionary }

  var everyMessage: EveryMessageHooks { dictionary.everyMessage }

  var allSelectors: [Selector] {
    dictionary.allSelectors + (ownMethods?.ownSelectors ?? [])
  }

  deinit {
    for place in methods.withLock({ $0 }) {
      place.hooks.retire()
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
    let ofClass = slot.ofClass.implementation
    guard let own = key.value(of: object) else { return ofClass }
    if let method = own.ownMethods?.effective(selector) { return method }
    guard let ofClass else { return nil }
    let made = own.methods.withLock { methods in
      for index in methods.indices where methods[index].selector == selector {
        return methods[index].made(around: ofClass)
      }
      return ofClass
    }
    return made ?? own.make(selector, slot)
  }

  /// Makes that implementation of the class's latest method: only that is around all which calls
  /// run.
  private func make(_ selector: Selector, _ slot: MethodSlot) -> Implementation? {
    // What is replaced is released under no lock.
    let (made, replaced) = withMethods(and: slot) { methods, ofClass in
      var replaced = ReplacedMethods()
      let place = methods.place(of: selector)
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
    let dictionary = object._messageClass.methods
    do throws(LifetimeError) {
      return try key.value(of: object, default: InstanceMethods(dictionary))
    } catch {
      throw MessageError(error, consequence: "the object's methods were not changed")
    }
  }

  /// The hooks of a method; nil if it never was hooked.
  func methodHooks(existing selector: Selector) -> MethodHooks? {
    ownMethods?.methodHooks(existing: selector)
      ?? methods.withLock { $0.place(of: selector)?.hooks }
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
    return methods.withLock { methods in
      if let place = methods.place(of: selector) { return place.hooks }
      let hooks = MethodHooks(
        selector, of: dictionary.receiverClass, around: slot.ofClass
      ) { [weak self] in self?.changed(selector) }
      methods.append(HookedPlace(selector, hooks))
      return hooks
    }
  }

  // MARK: - The object's own methods

  private var ownMethods: MethodDictionary? { added.withLock { $0 } }

  /// Whether messages run an implementation that was added.
  func has(_ implementation: Implementation, _ selector: Selector) -> Bool {
    ownMethods?.ownImplementation(selector) === implementation
  }

  /// Adds a method, unless the object has one of its own of that name.
  ///
  /// - Returns: Whether it was added.
  func add(_ implementation: Implementation, _ selector: Selector) -> Bool {
    let made = MethodDictionary(of: dictionary.receiverClass, inheriting: nil)
    let own = added.withLock { added in
      if added == nil { added = made }
      return added ?? made
    }
    // Messages find what only this object has while the class's slot counts it, never too late.
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
  private func withMethods<Outcome: Sendable>(
    and slot: MethodSlot, _ body: ([HookedPlace], Implementation?) -> Outcome
  ) -> Outcome {
    while true {
      let ofClass = slot.ofClass.implementation
      defer { withExtendedLifetime(ofClass) {} }
      let outcome = methods.withLock { methods in
        slot.ofClass.isFilled(by: ofClass) ? body(methods, ofClass) : nil
      }
      if let outcome { return outcome }
    }
  }

  /// Lets messages run the changed hooks, and the class's slot know whether there are any.
  ///
  /// The implementation is made at once, so that nothing keeps hooks that were removed.
  private func changed(_ selector: Selector) {
    let (last, counted) = withMethods(and: dictionary.slot(selector)) { methods, ofClass in
      var last = ReplacedMethods()
      guard let place = methods.place(of: selector) else { return (last, nil as ReplacedMethods?) }
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

extension [HookedPlace] {
  /// The place of a method.
  fileprivate func place(of selector: Selector) -> HookedPlace? {
    first { $0.selector == selector }
  }
}
