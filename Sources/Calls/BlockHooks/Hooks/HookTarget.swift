public import BlockRuntimeErrors
public import Invocations

/// A target that can be hooked: a block, an imported function, a method of a class or of one
/// object, a Swift function.
///
/// Every target installs every `HookDefinition`, and has the functions of this protocol.
public protocol HookTarget {
  /// The error of an installation.
  associatedtype Failure: BlockRuntimeError

  /// Installs a hook that is described by a value.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation. Dropping it removes nothing.
  /// - Throws: Why the target cannot have the hook, such as `noPosition`, `invalidCondition`,
  ///   `tooManyHooks`, `signatureConflict` or `outOfMemory`. Then the target is unchanged.
  @discardableResult
  func install(_ definition: HookDefinition) throws(Failure) -> Hook

  /// The target's own hooks that are installed, outermost first.
  var hooks: [Hook] { get }
}

extension HookTarget {
  /// Installs a hook: a handler that runs before, after or in place of the target's code.
  ///
  /// The hooks of a target are nested, the last installed outermost; among different priorities the
  /// higher is outermost. Each hook's before-handler runs, then its instead-handler, which may
  /// proceed to the inner hooks and the original, then its after-handler; without an
  /// instead-handler the call proceeds by itself. So before-handlers run from the outermost to the
  /// innermost, after-handlers in the reverse order, and an instead-handler that does not proceed
  /// skips the inner hooks and the original.
  ///
  /// Handlers run on the caller's thread and under no lock, several at once if several threads make
  /// calls. A handler that calls its own target starts a new call with all hooks; `proceed()` does
  /// not.
  ///
  /// An error that a handler throws is passed to `onError`, and the call continues: an
  /// instead-handler that had not proceeded is skipped, and other handlers have no further effect.
  /// The caller never sees the error.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs; if there are several, `call.position` is the current
  ///     one.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws; if not given, errors are written to standard
  ///     error.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: As `install(_:)`.
  @discardableResult
  public func hook(
    _ positions: HookPositions = .instead, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (_ call: inout CallFrame) throws -> Void
  ) throws(Failure) -> Hook {
    try install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler))
  }

  /// The installed hooks that have a given name, outermost first.
  ///
  /// - Parameter name: The name given at installation.
  /// - Returns: The hooks.
  public func hooks(named name: String) -> [Hook] { hooks.filter { $0.name == name } }

  /// Removes all of the target's own hooks; hooks that other threads install meanwhile may stay.
  ///
  /// - Returns: How many hooks this call removed.
  @discardableResult
  public func removeHooks() -> Int { hooks.count { $0.remove() } }

  /// Removes the hooks that have a given name.
  ///
  /// - Parameter name: The name given at installation.
  /// - Returns: How many hooks this call removed.
  @discardableResult
  public func removeHooks(named name: String) -> Int { hooks(named: name).count { $0.remove() } }
}
