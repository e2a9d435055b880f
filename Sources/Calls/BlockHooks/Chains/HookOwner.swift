internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations

/// The owner of a chain of hooks: a hooked block or function.
///
/// No foreign code runs under an owner's locks.
protocol HookOwner: AnyObject, Sendable {
  /// The image of the hooked code, which must stay loaded; nil if none need be.
  ///
  /// It is read under no lock.
  var image: LoadedImage? { get }

  /// Adds a hook.
  ///
  /// - Parameters:
  ///   - link: The hook.
  ///   - replaced: Receives the replaced receivers, which the caller must retire under no lock.
  /// - Throws: `tooManyHooks`, `deadBlock`, and further errors of the kind of owner.
  func install(_ link: HookChain.Link, _ replaced: inout [CallReceiver]) throws(HookError)

  /// Takes a hook out.
  ///
  /// - Parameters:
  ///   - hook: The hook.
  ///   - suspending: Whether it may be installed again.
  ///   - replaced: Receives the replaced receivers, which the caller must retire under no lock.
  /// - Returns: The hook with its handler if `suspending` is true and the hook was in the chain;
  ///   otherwise nil.
  func detach(
    _ hook: HookState, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookChain.Link?

  /// Called under no lock after a hook was installed or taken out.
  func hooksDidChange()

  /// Releases a suspended hook.
  func forget(_ hook: HookState)

  /// Returns a handler that runs the given one, with what the owner adds to each call of a handler.
  func surround(_ handler: @escaping HookDefinition.Handler) -> HookDefinition.Handler
}

extension HookOwner {
  func surround(_ handler: @escaping HookDefinition.Handler) -> HookDefinition.Handler { handler }

  func hooksDidChange() {}
}

extension HookDefinition {
  /// Installs the hook.
  ///
  /// - Parameters:
  ///   - owner: The owner of the chain.
  ///   - interface: The signature of its calls.
  ///   - typed: The blocks of the hook, if it is typed.
  /// - Returns: The token.
  /// - Throws: The errors of `owner.install`.
  func install(
    on owner: any HookOwner, _ interface: CallInterface, typed: TypedHook? = nil
  ) throws(HookError) -> Hook {
    let mark = HandlerMark()
    let state = HookState(self, mark: mark, owner: owner)
    let body: Handler
    if positionsInChain == positions, conditions.isAlways {
      body = handler
    } else {
      let conditional = ConditionalHandler(self, state)
      body = { call in try conditional.run(&call) }
    }
    let handler = CallHandler(
      mark: mark,
      onError: { [onError] error in
        unsafe ReentrancyGuard.handling(nil, isInstead: false) { onError(error) }
      },
      owner.surround(body))
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    do {
      try ReentrancyGuard.ignoringThread { () throws(HookError) in
        try owner.install(
          HookChain.Link(
            hook: state, handler: handler, mark: mark,
            place: HookPlace(priority: priority, time: everyBlock ?? .now()), interface: interface,
            typed: typed, image: owner.image),
          &replaced)
      }
    } catch {
      // The hook was never in a chain, and must not retain the owner.
      state.retire()
      throw error
    }
    owner.hooksDidChange()
    return Hook(state)
  }
}
