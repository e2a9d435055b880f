internal import BlockHooks
internal import CallTracing
internal import Invocations
private import Synchronization

/// One wish that every block be hooked.
final class BlockRequest: Sendable {
  /// What blocks of a source are hooked with; nil for those that are not.
  typealias MakeDefinition = @Sendable (BlockSource) -> HookDefinition?

  /// What traces the blocks of a source that cannot be hooked; nil if they are not meant.
  typealias MakeOpaqueTrace = @Sendable (BlockSource) -> OpaqueCallTrace?

  private let filter: BlockFilter
  private let makeDefinition: MakeDefinition

  /// What traces blocks without a usable signature, if it is to be done.
  private let makeOpaqueTrace: MakeOpaqueTrace?

  /// Whether blocks are hooked one by one, for a handler learns of their ends, or where they were made;
  /// else those of one source are hooked together.
  let isIndividual: Bool

  /// The blocks that are hooked one by one.
  let blocks: HookedBlocks

  /// When every block was hooked.
  private let time = InstallationTime.now()

  private let removed = Atomic(false)

  init(
    _ filter: BlockFilter, isIndividual: Bool = false, recordsCreation: Bool = false,
    opaque makeOpaqueTrace: MakeOpaqueTrace? = nil, _ makeDefinition: @escaping MakeDefinition
  ) {
    self.filter = filter
    self.isIndividual = isIndividual
    self.makeDefinition = makeDefinition
    self.makeOpaqueTrace = makeOpaqueTrace
    blocks = HookedBlocks(recordsCreation: recordsCreation)
  }

  var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Withdraws the wish.
  ///
  /// - Returns: False if that was done before.
  func remove() -> Bool { !removed.exchange(true, ordering: .acquiringAndReleasing) }

  /// What blocks of a source are hooked with; nil if they are not meant.
  func definition(_ source: BlockSource) -> HookDefinition? {
    guard filter.admits(source.symbol, encoding: source.encoding),
      var definition = makeDefinition(source)
    else { return nil }
    definition.everyBlock = time
    if let isAdmitted = filter.admitsCurrentQueue { definition.conditions.scope = isAdmitted }
    let handler = definition.handler
    definition.handler = { [self] call in
      // It may be installed while the wish is withdrawn.
      if !isRemoved { return try handler(&call) }
      if call.position == .instead { try call.proceed() }
    }
    return definition
  }

  /// What traces blocks of a source without a usable signature; nil if they are not meant.
  func opaqueTrace(_ source: BlockSource) -> OpaqueCallTrace? {
    // Which queue a call is on is asked by hooks only.
    guard let makeOpaqueTrace, filter.queues.isEmpty,
      filter.admits(source.symbol, encoding: source.encoding)
    else { return nil }
    return makeOpaqueTrace(source)
  }

  /// Whether blocks of a source are meant.
  func means(_ source: BlockSource) -> Bool {
    source.interface == nil ? opaqueTrace(source) != nil : definition(source) != nil
  }
}
