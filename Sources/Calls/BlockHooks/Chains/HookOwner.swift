package import BlockABI
private import BlockRuntimeThreads
package import Invocations

/// The owner of a chain of hooks: a hooked block, function or method.
///
/// No foreign code runs under an owner's locks.
package protocol HookOwner: AnyObject, Sendable {
  /// The image of the hooked code, which must stay loaded; nil if no image need stay loaded.
  ///
  /// This is read under no lock.
  var image: LoadedImage? { get }

  /// Adds a hook.
  ///
  /// - Parameters:
  ///   - link: The hook.
  ///   - replaced: Receives the replaced receivers, which the caller must retire under no lock.
  /// - Throws: `tooManyHooks`, `deadBlock`, and further errors of the kind of owner.
  func install(_ link: HookLink, _ replaced: inout [CallReceiver]) throws(HookError)

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
  ) -> HookLink?

  /// Notifies the owner, under no lock, that a hook was installed or taken out.
  func hooksDidChange()

  /// Releases a suspended hook.
  func forget(_ hook: HookState)

  /// Returns a handler that runs the given one, with what the owner adds to each call of a handler.
  func surround(
    _ handler: @escaping HookDefinition.Handler, of definition: HookDefinition
  ) -> HookDefinition.Handler
}

extension HookOwner {
  package var image: LoadedImage? { nil }

  package func surround(
    _ handler: @escaping HookDefinition.Handler, of definition: HookDefinition
  ) -> HookDefinition.Handler { handler }

  package func hooksDidChange() {}
}

extension HookDefinition {
  /// Installs the hook.
  ///
  /// - Parameters:
  ///   - owner: The owner of the chain.
  ///   - interface: The signature of its calls.
  ///   - unframedRunner: A `TypedHook` for a block, a `MethodLayer` for a method; nil for other
  ///     hooks.
  /// - Returns: The token.
  /// - Throws: The errors of `owner.install`.
  package func install(
    on owner: any HookOwner, _ interface: CallInterface,
    unframedRunner: (any AnyObject & Sendable)? = nil
  ) throws(HookError) -> Hook {
    let state = HookState(self, owner: owner)
    // Without conditions, the chain runs the handler in its own positions.
    let body: Handler
    if positionsInChain == positions, conditions.isAlways {
      body = handler
    } else {
      let conditional = ConditionalHandler(self, state) { owner.surround($0, of: self) }
      if let tasks = conditions.tasks {
        body = { call in
          // Asked before `conditional` is entered, which would be most of what calls of other tasks
          // cost.
          if !tasks.admitsCurrentTask, call.position != .death { return try call.proceedAsItIs() }
          try conditional.run(&call)
        }
      } else {
        body = { call in try conditional.run(&call) }
      }
    }
    let handler = CallHandler(
      mark: state.mark,
      onError: { [onError] error in
        unsafe ReentrancyGuard.handling(nil, isInstead: false) { onError(error) }
      },
      owner.surround(body, of: self))
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    do {
      try ReentrancyGuard.ignoringThread { () throws(HookError) in
        try owner.install(
          HookLink(
            hook: state, handler: handler,
            place: HookPlace(priority: priority, time: everyBlock ?? .now()), interface: interface,
            unframedRunner: unframedRunner, image: owner.image),
          &replaced)
      }
    } catch {
      // The hook was never in a chain, and must not retain the owner.
      state.endWithOwner()
      throw error
    }
    owner.hooksDidChange()
    return Hook(state)
  }
}
