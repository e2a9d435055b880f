internal import BlockRuntimeThreads
internal import LoadedClasses

/// A class whose objects have hooks, or had them; it is never freed.
final class HookedClass: Sendable {
  private let present = Locked<ClassHooks?>(nil)

  /// The hooks; nil if there are none.
  var hooks: ClassHooks? { present.withLock { $0 } }

  /// Replaces the hooks.
  ///
  /// - Returns: The previous ones, for the caller to release.
  func replace(_ hooks: [ClassDeinitHook]) -> ClassHooks? {
    let new = hooks.isEmpty ? nil : ClassHooks(hooks)
    return present.withLock { present in
      defer { present = new }
      return present
    }
  }
}

/// The hooks of classes, and the classes that have them.
///
/// No closure is freed under the lock.
enum HookedClasses {
  private struct State {
    /// In the order of their installation.
    var hooks: [ClassDeinitHook] = []
    var classes: [ClassMetadata: HookedClass] = [:]
  }

  private static let state = Locked(State())

  /// Installs a hook.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`; nothing is installed then.
  static func install(_ hook: ClassDeinitHook) throws(LifetimeError) {
    let classes = classes(of: hook)
    for type in classes { try ObjectDestruction.watch(type) }
    let previous = state.withLock { state in
      state.hooks.append(hook)
      return classes.map { update($0, of: &state) }
    }
    withExtendedLifetime(previous) {}
  }

  /// Includes subclasses that have been loaded since.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`.
  static func include(_ hook: ClassDeinitHook) throws(LifetimeError) {
    for type in classes(of: hook) {
      try ObjectDestruction.watch(type)
      include(type)
    }
  }

  /// Includes a class that has just been watched: it may be a subclass of hooked ones.
  static func include(_ type: ClassMetadata) {
    let previous = state.withLock { state in
      state.hooks.isEmpty ? nil : update(type, of: &state)
    }
    withExtendedLifetime(previous) {}
  }

  /// Removes a hook.
  static func remove(_ hook: ClassDeinitHook) {
    let previous = state.withLock { state in
      state.hooks.removeAll { $0 === hook }
      return state.classes.keys.filter { hook.applies(to: $0) }.map { update($0, of: &state) }
    }
    withExtendedLifetime(previous) {}
  }

  /// Gives a class the hooks that apply to it.
  ///
  /// - Returns: Its previous hooks.
  private static func update(_ type: ClassMetadata, of state: inout State) -> ClassHooks? {
    let hooks = state.hooks.filter { $0.applies(to: type) }
    guard !hooks.isEmpty || state.classes[type] != nil else { return nil }
    let hooked = state.classes[type] ?? HookedClass()
    state.classes[type] = hooked
    let previous = hooked.replace(hooks)
    // Without hooks, the destruction of the class's objects need not look for them.
    ObjectDestruction.set(hooks.isEmpty ? nil : hooked, of: type)
    return previous
  }

  private static func classes(of hook: ClassDeinitHook) -> [ClassMetadata] {
    hook.includesSubclasses ? ClassMetadata.heirs(of: hook.type) : [hook.type]
  }
}

extension ClassDeinitHook {
  /// Whether the objects of a class have the hook.
  fileprivate func applies(to other: ClassMetadata) -> Bool {
    type == other || includesSubclasses && other.lineage.contains(type)
  }
}
