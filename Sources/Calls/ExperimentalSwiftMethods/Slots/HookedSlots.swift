internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import LoadedClasses

/// All slots that are or were hooked, by slot and by code.
enum HookedSlots {
  private struct State {
    var bySlot: [MethodSlot: HookedSlot] = [:]
    var byCode: [RuntimeAddress: HookedSlot] = [:]

    /// The method in a slot, without the hooks of this library.
    func original(in slot: MethodSlot) -> RuntimeAddress? {
      slot.code.map { byCode[$0]?.original ?? $0 }
    }

    /// The code for the slot of a class: that of its nearest ancestor with hooks, or the method
    /// itself.
    func wanted(at index: Int, of heir: ClassMetadata, _ original: RuntimeAddress) -> RuntimeAddress
    {
      for ancestor in heir.lineage {
        guard let slot = ancestor.slot(at: index), self.original(in: slot) == original else {
          break
        }
        if let hooked = bySlot[slot], hooked.hooksCalls { return hooked.code }
      }
      return original
    }
  }

  private static let state = Locked(State())

  /// Installs a hook.
  ///
  /// - Throws: `noSuchMethod`, `protectedMemory`, `unsupportedPlatform`, `noExecutableMemory`, and
  ///   the errors of hooks.
  static func install(
    _ definition: HookDefinition, on method: SwiftMethod, of owner: ClassMetadata
  ) throws(SwiftMethodError) -> Hook {
    let shape = try method.support.get()
    let index = method.descriptor.slot
    let hooked = try state.withLock { state in
      Result { () throws(SwiftMethodError) in
        try hookedSlot(&state, method, shape, of: owner)
      }
    }.get()
    let hook = try hooked.install(definition, title: method.declaration)
    do throws(BlockError) {
      // The callback after a change of hooks could not report an error, so try again here.
      if hooked.hooksCalls, !hooked.isInPlace { try refresh(index, of: owner) }
    } catch {
      hook.remove()
      throw SwiftMethodError(.protectedMemory, error.message)
    }
    return hook
  }

  /// The hooks of a class's method, outermost first, without inherited ones.
  static func hooks(of method: SwiftMethod, _ owner: ClassMetadata) -> [Hook] {
    let hooked = owner.slot(at: method.descriptor.slot).flatMap { slot in
      state.withLock { $0.bySlot[slot] }
    }
    return hooked?.hooks ?? []
  }

  /// The entry of a class's slot, created with those of the superclasses that share its method.
  private static func hookedSlot(
    _ state: inout State, _ method: SwiftMethod, _ shape: MethodShape, of owner: ClassMetadata
  ) throws(SwiftMethodError) -> HookedSlot {
    let index = method.descriptor.slot
    guard let slot = owner.slot(at: index), let original = state.original(in: slot) else {
      throw SwiftMethodError(
        .noSuchMethod,
        "\(owner.name) has no code for \(method.declaration); hook a method of its own")
    }
    if let known = state.bySlot[slot] { return known }
    var inner = original
    if owner.descriptor != method.descriptor.owner, let superclass = owner.superclass,
      let inherited = superclass.slot(at: index),
      state.original(in: inherited) == original
    {
      inner = try hookedSlot(&state, method, shape, of: superclass).code
    }
    let made = try HookedSlot(
      shape, of: owner, slot, original: original, inner: inner,
      // If the page cannot be opened, the code stays in the slot and passes calls through.
      hooksChanged: { try? refresh(index, of: owner) })
    state.bySlot[slot] = made
    state.byCode[made.code] = made
    return made
  }

  /// Updates the slots of a class and its subclasses where they share its method.
  private static func refresh(_ index: Int, of owner: ClassMetadata) throws(BlockError) {
    let heirs = ClassMetadata.heirs(of: owner)
    try state.withLock { state in
      Result { () throws(BlockError) in
        guard let original = owner.slot(at: index).flatMap({ state.original(in: $0) })
        else { return }
        var changes: [MethodSlot: RuntimeAddress] = [:]
        for heir in heirs {
          guard let slot = heir.slot(at: index), state.original(in: slot) == original else {
            continue
          }
          let wanted = state.wanted(at: index, of: heir, original)
          if slot.code != wanted { changes[slot] = wanted }
        }
        // SAFETY: each code is the method itself or a stub of its type.
        unsafe try MethodSlot.setCode(changes)
      }
    }.get()
  }
}
