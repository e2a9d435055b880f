package import BlockHooks

/// Hooks of imported functions that are removed together.
package struct HookSet: Sendable {
  private var hooks: [Hook] = []

  package init() {}

  /// Installs a hook, of calls by all images whose slots lead to the function's hooks.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  package mutating func install(
    _ definition: HookDefinition, on function: ImportedFunction
  ) throws(InterposingError) {
    hooks.append(
      try function.install(definition, checksCallers: function.sharesSlots))
  }

  /// Hooks a function of the runtime with the highest priority, if the program imports it.
  ///
  /// Functions that go on elsewhere are called last in those that call them, so a return address
  /// does not say who does.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  package mutating func install(
    _ position: HookPositions, of symbol: String, _ signature: String, in images: ImageFilter,
    goesOn: Bool = false, name: String, _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) {
    guard
      let function = try ImportedFunction.ofRuntime(
        symbol, signature: signature, in: images, goesOn: goesOn)
    else { return }
    hooks.append(
      try function.install(
        HookDefinition(position, name: name, priority: .max, handler),
        checksCallers: function.sharesSlots && !goesOn))
  }

  /// Adds a hook that was installed.
  package mutating func add(_ hook: Hook) { hooks.append(hook) }

  package var isEmpty: Bool { hooks.isEmpty }

  package func removeAll() { for hook in hooks { hook.remove() } }

  package func suspendAll() { for hook in hooks { hook.suspend() } }

  /// Installs the hooks again that were suspended.
  ///
  /// - Throws: As the installation; those before are in place then.
  package func resumeAll() throws(InterposingError) {
    for hook in hooks {
      do throws(HookError) { try hook.resume() } catch {
        throw InterposingError(error, hook.name ?? "a function")
      }
    }
  }
}
