internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations
private import Synchronization

/// The removed hooks of all requests of one hook of every block whose handlers may still be
/// running.
final class EndingHooks: Sendable {
  private let hooks = GatedLock<[EndingHook]>([])

  /// Removes a hook, so that a later `wait()` waits for its calls.
  func remove(_ hook: Hook) {
    hook.remove()
    hooks.withLock { hooks in
      hooks.removeAll(where: \.hasNoCalls)
      hooks.append(EndingHook(hook))
    }
  }

  /// Waits until no handler of a removed hook is running.
  func wait() { for hook in hooks.withLock({ $0 }) { hook.wait() } }
}

/// A request to hook every block that a filter selects.
final class BlockRequest: Sendable {
  /// The hook, which lives while it is installed.
  let hook: HookOfEveryBlock

  private let filter: BlockFilter
  private let requested: HookDefinition

  /// Whether blocks are hooked one by one, because a handler observes their ends or creations are
  /// recorded; otherwise blocks of one source are hooked together.
  let isIndividual: Bool

  /// The blocks that are hooked one by one.
  let blocks: HookedBlocks

  /// The removed hooks whose handlers may still be running.
  let ending: EndingHooks

  /// The time of installation, for the order among hooks of equal priority.
  private let time = InstallationTime.now()

  private let removed = Atomic(false)

  /// The hooks for blocks of the sources, by their numbers; nil for those that are not to be
  /// hooked.
  private let definitions = GatedLock<[UInt64: HookDefinition?]>([:])

  init(
    _ hook: HookOfEveryBlock, _ target: EveryBlock, _ definition: HookDefinition,
    _ ending: EndingHooks
  ) {
    self.hook = hook
    self.ending = ending
    requested = definition
    filter = target.filter
    isIndividual = target.recordsCreation || definition.positions.contains(.death)
    blocks = HookedBlocks(recordsCreation: target.recordsCreation, ending: ending)
  }

  var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Withdraws the request.
  ///
  /// - Returns: False if it was withdrawn before.
  func remove() -> Bool { !removed.exchange(true, ordering: .acquiringAndReleasing) }

  /// The hook for blocks of a source; nil if the request does not select them.
  func definition(_ source: BlockSource) -> HookDefinition? {
    guard filter.admits(source), var definition = madeDefinition(source) else { return nil }
    definition.everyBlock = time
    if let isAdmitted = filter.admitsCurrentQueue { definition.conditions.scope = isAdmitted }
    let handler = definition.handler
    definition.handler = { [self] call in
      // The hook may be installed while the request is withdrawn.
      if !isRemoved { return try handler(&call) }
      if call.position == .instead { try call.proceed() }
    }
    return definition
  }

  /// The hook that the definition makes for a source, the same for all blocks of it; nil if it
  /// refuses them.
  ///
  /// It may write into a file that there is such a source.
  private func madeDefinition(_ source: BlockSource) -> HookDefinition? {
    if let known = definitions.withLock({ $0[source.number] }) { return known }
    let made =
      if let interface = source.interface {
        try? requested.prepared(
          at: InstallationPoint(interface, code: source.address, title: nil))
      } else { requested }
    return definitions.withLock { definitions in
      if let first = definitions[source.number] { return first }
      definitions[source.number] = .some(made)
      return made
    }
  }

  /// The observer for blocks of a source without a usable signature; nil if the request does not
  /// select them, or if the calls of such blocks are not observed.
  func observer(_ source: BlockSource) -> (any OpaqueCallObserver)? {
    // Only hooks can check the queue of a call.
    guard filter.queues.isEmpty, filter.admits(source) else { return nil }
    return requested.makeObserver?(source.address)
  }

  /// Whether the request selects blocks of a source.
  func means(_ source: BlockSource) -> Bool {
    source.interface == nil ? observer(source) != nil : definition(source) != nil
  }
}
