internal import Invocations

/// The hooks of a method, with the implementation that was made of them last.
final class HookedPlace: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the variables are used under the lock of the owner of the
  // method.

  let selector: Selector
  let hooks: MethodHooks
  private var inner: Implementation?
  private var around: Implementation?

  /// Where messages find `around`, if the hooks are those of an object.
  private var slot: ObjectSlot?

  /// Whether the class's slot counts the object whose hooks these are.
  ///
  /// It is changed together with the count, under the lock: otherwise another thread could subtract
  /// a method that is not counted yet.
  var isCounted = false

  init(_ selector: Selector, _ hooks: MethodHooks, _ slot: ObjectSlot? = nil) {
    self.selector = selector
    self.hooks = hooks
    self.slot = slot
  }

  /// The implementation with the hooks around it.
  func around(
    _ inner: Implementation, _ replaced: inout ReplacedMethods
  ) -> Implementation {
    if self.inner === inner, let around {
      slot?.cache()
      return around
    }
    forgetMade(&replaced)
    let made = hooks.around(inner, &replaced)
    (self.inner, around) = (inner, made)
    slot?.fill(made, around: inner)
    return made
  }

  /// Makes the implementation again when it is needed next, because the hooks have changed.
  func forgetMade(_ replaced: inout ReplacedMethods) {
    if let last = slot?.empty() { replaced.implementations.append(last) }
    replaced.retained += [inner, around].compactMap(\.self)
    (inner, around) = (nil, nil)
  }

  /// Gives the slot back, because the object is about to die: messages look `around` up from now
  /// on.
  func giveSlotBack(_ replaced: inout ReplacedMethods) {
    if let last = slot?.giveBack() { replaced.implementations.append(last) }
    slot = nil
  }
}
