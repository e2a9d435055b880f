private import BlockRuntimeThreads
internal import Invocations
internal import ObjectLifetimes

/// The hooks of the methods of one object, associated with the object.
final class InstanceMethods: Sendable {
  private static let key = AssociationKey<InstanceMethods>("methods of an instance")

  private let dictionary: MethodDictionary

  /// The methods by their selectors: few, so that comparing is faster than hashing.
  private let methods = Locked<[HookedPlace]>([])

  private init(_ dictionary: MethodDictionary) { self.dictionary = dictionary }

  deinit {
    for place in methods.withLock({ $0 }) {
      place.hooks.retire()
      if place.isCounted { dictionary.count(instances: -1, place.selector).release() }
    }
  }

  /// The implementation that messages of an object run: its class's, with the object's hooks around
  /// it.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - object: The object.
  ///   - slot: The slot of its class.
  /// - Returns: The implementation; nil if the class has none.
  static func method(
    _ selector: Selector, of object: any MessageReceiver, _ slot: MethodSlot
  ) -> Implementation? {
    let ofClass = slot.ofClass.implementation
    guard let ofClass, let own = key.value(of: object) else { return ofClass }
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

  /// The hooks of a method of an object; nil if it never was hooked.
  static func methodHooks(
    existing selector: Selector, of object: any MessageReceiver
  ) -> MethodHooks? {
    key.value(of: object)?.methods.withLock { methods in
      methods.place(of: selector)?.hooks
    }
  }

  /// The hooks of a method of an object; created if there are none.
  ///
  /// - Throws: `noSuchMethod`, and the reason if the object can have no associated values.
  static func methodHooks(
    _ selector: Selector, of object: any MessageReceiver
  ) throws(MessageError) -> MethodHooks {
    let dictionary = object._messageClass.methods
    guard dictionary.effective(selector) != nil else { throw dictionary.noSuchMethod(selector) }
    let own: InstanceMethods
    do throws(LifetimeError) {
      own = try key.value(of: object, default: InstanceMethods(dictionary))
    } catch {
      throw MessageError(error, consequence: "`\(selector)` was not hooked")
    }
    let slot = dictionary.slot(selector)
    return own.methods.withLock { methods in
      if let place = methods.place(of: selector) { return place.hooks }
      let hooks = MethodHooks(
        selector, of: dictionary.receiverClass, around: slot.ofClass
      ) { [weak own] in own?.changed(selector) }
      methods.append(HookedPlace(selector, hooks))
      return hooks
    }
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
