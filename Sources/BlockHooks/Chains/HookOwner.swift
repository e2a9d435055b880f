internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations

/// What can be hooked: it has the chain that the hooks are installed in.
///
/// No foreign code runs under an owner's locks.
protocol HookOwner: AnyObject, Sendable {
  /// The library that holds what is hooked, to be kept loaded; nil where none need be.
  ///
  /// It is asked for under no lock.
  var image: LoadedImage? { get }

  /// Adds a hook.
  ///
  /// - Parameters:
  ///   - link: The hook.
  ///   - replaced: Gets what calls used so far, to be let go of through `HazardPointers`, under no
  ///     lock.
  /// - Throws: `tooManyHooks`, `deadBlock`, and what the kind of owner adds.
  func install(_ link: HookChain.Link, _ replaced: inout [CallReceiver]) throws(HookError)

  /// Takes a hook out.
  ///
  /// - Parameters:
  ///   - entry: The hook.
  ///   - suspending: Whether it may be installed again.
  ///   - replaced: Gets what calls used so far, to be let go of through `HazardPointers`, under no lock.
  /// - Returns: The hook with its handler, if it may be installed again.
  func detach(
    _ entry: HookEntry, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookChain.Link?

  /// Called when a hook was installed or taken out, under no lock.
  func hooksDidChange()

  /// Lets go of a suspended hook.
  func forget(_ entry: HookEntry)

  /// What surrounds each call of a handler.
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
  ///   - owner: What is hooked.
  ///   - interface: The signature of its calls.
  ///   - typed: The block that runs in the handler's place, if there is one.
  /// - Returns: The token.
  /// - Throws: What the owner throws.
  func install(
    on owner: any HookOwner, _ interface: CallInterface, typed: TypedHook? = nil
  ) throws(HookError) -> Hook {
    let mark = HandlerMark()
    let entry = HookEntry(self, mark: mark, owner: owner)
    let body: Handler
    if positionsInChain == positions, conditions.isAlways {
      body = handler
    } else {
      let conditional = ConditionalHandler(self, entry)
      body = { call in try conditional.run(&call) }
    }
    let handler = CallHandler(
      mark: mark,
      onError: { [onError] error in ReentrancyGuard.handling(isInstead: false) { onError(error) } },
      owner.surround(body))
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    do {
      try ReentrancyGuard.ignoringThread { () throws(HookError) in
        try owner.install(
          HookChain.Link(
            entry: entry, handler: handler, mark: mark,
            place: HookPlace(priority: priority, time: everyBlock ?? .now()), interface: interface,
            typed: typed, image: owner.image),
          &replaced)
      }
    } catch {
      // The entry was never in a chain; it must not keep the owner.
      entry.retire()
      throw error
    }
    owner.hooksDidChange()
    return Hook(entry)
  }
}
