internal import Synchronization

/// Totals since the program began, over all hooks of every block.
///
/// Blocks of the same code, closure and signature have one *source*, and share the code that
/// replaces theirs.
public struct BlockCounts: Hashable, Sendable {
  /// How often a block passed an import slot of a function that `EveryBlock` lists, whether it can
  /// be hooked or not; the same block may pass several times.
  public internal(set) var seen = 0

  /// How often a block was hooked: once to enter the code that its source shares, and once for each
  /// hook that hooks it alone.
  public internal(set) var hooked = 0

  /// How many sources have no usable signature.
  ///
  /// Handlers cannot run for their blocks; a trace records their calls without arguments, and
  /// counts them as hooked.
  public internal(set) var withoutSignature = 0

  /// How many attempts to hook a block, or the shared code of a source, failed.
  public internal(set) var refused = 0
}

/// The counters behind `BlockCounts`.
final class BlockCounters: Sendable {
  let seen = Atomic(0)
  let hooked = Atomic(0)
  let withoutSignature = Atomic(0)
  let refused = Atomic(0)

  var counts: BlockCounts {
    BlockCounts(
      seen: seen.load(ordering: .relaxed), hooked: hooked.load(ordering: .relaxed),
      withoutSignature: withoutSignature.load(ordering: .relaxed),
      refused: refused.load(ordering: .relaxed))
  }
}
