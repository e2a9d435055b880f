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
    hooks.append(try function.install(definition, checksCallers: false))
  }

  package var isEmpty: Bool { hooks.isEmpty }

  package func removeAll() { for hook in hooks { hook.remove() } }
}
