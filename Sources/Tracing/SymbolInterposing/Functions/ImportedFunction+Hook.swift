public import BlockABI
public import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

extension ImportedFunction {
  /// Installs a hook: a handler that runs before, after or in place of the function.
  ///
  /// Order, conditions and errors are those of `Block.hook(_:name:priority:when:onError:_:)`; all
  /// hooks of one function are nested, whatever their images. Arguments are numbered from 0, as
  /// there is no hidden argument.
  ///
  /// Handlers run on the caller's thread, under whatever locks the caller holds: a handler of a
  /// function such as `malloc` must not wait for anything that another thread may hold.
  ///
  /// - Parameters:
  ///   - positions: The positions in which the handler runs; not `.death`.
  ///   - name: A name for descriptions.
  ///   - priority: Hooks of higher priority are outer; 0 if not given.
  ///   - conditions: The calls that run the handler; all if not given.
  ///   - onError: Receives the errors that the handler throws. Writes to standard error if not
  ///     given.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping it does not. The removal of the last hook
  ///   restores the slots.
  /// - Throws: `signatureConflict`, `protectedMemory`, `outOfMemory`, `noExecutableMemory`, and the
  ///   errors of installing a hook. The function is unchanged then.
  @discardableResult
  public func hook(
    _ positions: HookPositions = .instead, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) -> Hook {
    try install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler))
  }

  /// Installs a hook that runs a stored handler instead of the function.
  ///
  /// - Parameter handler: Runs instead of the function.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  @_disfavoredOverload
  @discardableResult
  public func hook(_ handler: @escaping HookDefinition.Handler) throws(InterposingError) -> Hook {
    try install(HookDefinition(handler))
  }

  /// Installs a hook that is described by a value.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(InterposingError) -> Hook {
    try install(definition, checksCallers: !images.isAll)
  }

  /// Installs a hook.
  ///
  /// - Parameters:
  ///   - definition: The hook.
  ///   - shortcut: The code that calls enter while the function has no other hook; nil for none.
  ///   - checksCallers: Whether calls are left out that other images make: they arrive if the
  ///     function has hooks for other images, too.
  /// - Returns: The token that removes this installation.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  func install(
    _ definition: HookDefinition, _ shortcut: Shortcut? = nil, checksCallers: Bool
  ) throws(InterposingError) -> Hook {
    let function = try Interposer.shared.function(symbol, self.definition, interface)
    var definition = definition
    if checksCallers {
      guard let callers = CallerImages(images) else {
        throw InterposingError(
          .outOfMemory, "there is no memory for the images of \(symbol); free some", symbol: symbol)
      }
      definition.conditions.scope = { callers.admitsCaller }
    }
    try Interposer.shared.prepare(function, images)
    // If the installation failed, the slots need not lead to the hooks.
    defer { Interposer.shared.hooksDidChange(self.definition) }
    do throws(HookError) {
      return try function.install(definition, in: images, shortcut)
    } catch {
      throw InterposingError(error, symbol)
    }
  }

  /// Hooks several functions faster, as their slots are written together when `body` has returned.
  ///
  /// - Parameter body: Installs hooks, which are entered from then on.
  /// - Throws: What `body` throws, and `protectedMemory`.
  package static func together(
    _ body: () throws(InterposingError) -> Void
  ) throws(InterposingError) { try Interposer.shared.together(body) }

  /// The hooks in place, outermost first, whatever their images.
  public var hooks: [Hook] { Interposer.shared.hooks(of: definition) }

  /// Removes all hooks, but not necessarily those that are being installed meanwhile.
  ///
  /// - Returns: How many this call removed.
  @discardableResult
  public func removeHooks() -> Int { hooks.count { $0.remove() } }

  /// The code that made the hooked call in progress on the current thread, for use in handlers.
  public static var caller: CodeSymbol? {
    // SAFETY: the address is only looked up.
    unsafe ReentrancyGuard.caller.flatMap { unsafe CodeSymbol(at: $0) }
  }
}
