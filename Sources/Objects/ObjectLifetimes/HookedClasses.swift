internal import BlockRuntimeThreads
internal import LoadedClasses

/// A watched class, and the hooks of all of its objects; it is never freed.
final class HookedClass: Sendable {
  private let present = Locked<ClassHooks?>(nil)

  /// The hooks; nil if there are none.
  var hooks: ClassHooks? { present.withLock { $0 } }

  /// Replaces the hooks.
  ///
  /// - Returns: The previous hooks, for the caller to release.
  func replace(_ hooks: [ClassDeinitHook]) -> ClassHooks? {
    let new = hooks.isEmpty ? nil : ClassHooks(hooks)
    return present.withLock { exchange(&$0, with: new) }
  }
}

/// All hooks of classes, and all watched classes.
///
/// Under one lock, a new hook finds the classes that it applies to, and a newly watched class the
/// hooks that apply to it.
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
    try include(hook)
    let previous = state.withLock { state in
      state.hooks.append(hook)
      return update(classesOf: hook, of: &state)
    }
    withExtendedLifetime(previous) {}
  }

  /// Watches the loaded classes that a hook applies to.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`.
  static func include(_ hook: ClassDeinitHook) throws(LifetimeError) {
    let types = hook.includesSubclasses ? ClassMetadata.heirs(of: hook.type) : [hook.type]
    for type in types { try ObjectDestruction.watch(type) }
  }

  /// Gives a class the hooks that apply to it; its destructor has been replaced already.
  static func add(_ type: ClassMetadata) {
    let previous = state.withLock { state in
      if state.classes[type] == nil { state.classes[type] = HookedClass() }
      return update(type, of: &state)
    }
    withExtendedLifetime(previous) {}
  }

  /// Removes a hook.
  static func remove(_ hook: ClassDeinitHook) {
    let previous = state.withLock { state in
      state.hooks.removeAll { $0 === hook }
      return update(classesOf: hook, of: &state)
    }
    withExtendedLifetime(previous) {}
  }

  private static func update(
    classesOf hook: ClassDeinitHook, of state: inout State
  ) -> [ClassHooks?] {
    state.classes.keys.filter { hook.applies(to: $0) }.map { update($0, of: &state) }
  }

  /// Gives a watched class the present hooks that apply to it.
  ///
  /// - Returns: Its previous hooks.
  private static func update(_ type: ClassMetadata, of state: inout State) -> ClassHooks? {
    guard let hooked = state.classes[type] else { return nil }
    let hooks = state.hooks.filter { $0.applies(to: type) }
    let previous = hooked.replace(hooks)
    // Without hooks, the destruction of the class's objects need not look for them.
    ObjectDestruction.set(hooks.isEmpty ? nil : hooked, of: type)
    return previous
  }
}

extension ClassDeinitHook {
  /// Whether the objects of a class have the hook.
  fileprivate func applies(to other: ClassMetadata) -> Bool {
    type == other || includesSubclasses && other.lineage.contains(type)
  }
}
