internal import Synchronization

/// Totals over the blocks that were examined since the program began.
public struct BlockCounts: Hashable, Sendable {
  /// How often a block passed one of the functions; the same block may pass several times.
  public internal(set) var seen = 0

  /// How many blocks were hooked.
  public internal(set) var hooked = 0

  /// How many sources of blocks have no usable signature; such blocks are not hooked.
  public internal(set) var withoutSignature = 0

  /// How many blocks, or sources of blocks, could not be hooked.
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
