public import BlockABI
public import BlockHooks
private import BlockRuntimeThreads
public import CallTracing
public import Invocations

// SAFETY, for the whole file: a function that takes the imported one's place has its signature.

extension ImportedFunction {
  /// Installs a hook: a handler that runs before, after or in place of the function.
  ///
  /// Order, conditions and errors are those of `Block.hook(_:name:priority:when:onError:_:)`; all hooks of
  /// one function are nested, whatever images they are for. Arguments count from 0: there is no hidden
  /// one.
  ///
  /// Handlers run on the caller's thread, wherever the function is called, which for one such as `malloc` is
  /// under any lock: there they must not wait for what another thread may hold.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs; not `.death`.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping it does not. With the last hook the slots get
  ///   their function back.
  /// - Throws: `signatureConflict`, `protectedMemory`, `outOfMemory`, `noExecutableMemory`, and those of a
  ///   hook. Then the function is
  ///   as it was.
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

  /// Installs a hook that runs instead of the function, given as a stored handler.
  ///
  /// - Parameter handler: Runs instead.
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
    let function = try Interposer.shared.function(symbol, self.definition, interface)
    var definition = definition
    if !images.isAll {
      let callers = CallerImages(images)
      definition.conditions.scope = { callers.admitsCaller }
    }
    try Interposer.shared.prepare(function, images)
    // Without the hook, if it was refused, calls need not come here.
    defer { Interposer.shared.hooksDidChange(self.definition) }
    do throws(HookError) {
      return try function.install(definition, in: images)
    } catch {
      throw InterposingError(error, symbol)
    }
  }

  /// The hooks in place, outermost first, whatever images they are for.
  public var hooks: [Hook] { Interposer.shared.hooks(of: definition) }

  /// Removes all hooks; those that are installed meanwhile may stay.
  ///
  /// - Returns: How many this call removed.
  @discardableResult
  public func removeHooks() -> Int { hooks.count { $0.remove() } }

  /// The code that made the hooked call which the current thread is inside of: for handlers.
  public static var caller: CodeSymbol? {
    unsafe ReentrancyGuard.caller.flatMap { unsafe CodeSymbol(at: $0) }
  }
}

extension ImportedFunction {
  /// Records every call of the function.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; it is kept until the hook is removed.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; the highest if not given.
  /// - Returns: The token that ends it. Dropping it does not.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`; `excludedSymbol` where the tracer's patterns leave
  ///   the function out.
  @discardableResult
  public func trace(
    with tracer: Tracer, name: String? = "trace", priority: Int = .max
  ) throws(InterposingError) -> Hook {
    let code = unsafe UnsafeRawPointer(bitPattern: definition)
    guard
      let definition = unsafe tracer.definition(
        forCodeAt: code, interface, hiddenArgumentCount: 0, title: symbol, name: name,
        priority: priority)
    else {
      throw InterposingError(
        .excludedSymbol, "the tracer's patterns leave \(symbol) out; change `include` or `exclude`",
        symbol: symbol)
    }
    return try install(definition)
  }
}
