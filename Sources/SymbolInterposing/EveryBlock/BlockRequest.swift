internal import BlockHooks
private import Synchronization

/// One wish that every block be hooked.
final class BlockRequest: Sendable {
  /// What blocks of a source are hooked with; nil for those that are not.
  typealias MakeDefinition = @Sendable (BlockSource) -> HookDefinition?

  private let filter: BlockFilter
  private let makeDefinition: MakeDefinition

  /// Whether blocks are hooked one by one, for a handler learns of their ends, or where they were made;
  /// else those of one source are hooked together.
  let isIndividual: Bool

  /// The blocks that are hooked one by one.
  let blocks: HookedBlocks

  private let removed = Atomic(false)

  init(
    _ filter: BlockFilter, isIndividual: Bool, recordsCreation: Bool,
    _ makeDefinition: @escaping MakeDefinition
  ) {
    self.filter = filter
    self.isIndividual = isIndividual
    self.makeDefinition = makeDefinition
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
    if let isAdmitted = filter.admitsCurrentQueue { definition.conditions.scope = isAdmitted }
    return definition
  }
}
