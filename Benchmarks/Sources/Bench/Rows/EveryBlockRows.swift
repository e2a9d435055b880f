import BlockRuntime
import Measuring
import SymbolInterposing

/// Blocks that are made and called while every block is hooked.
enum EveryBlockRows {
  static var all: [Row] {
    let calls = CallCount()
    return [
      Row("copy.direct", baseline: "call.direct", expected: Sums.count) { { makeBlocks($0) } },
      .hooked(
        "every.copy", baseline: "copy.direct", expected: Sums.count,
        count: { EveryBlock.counts.hooked },
        by: {
          let every = try EveryBlock().hook(onError: handlerFailed) { call in try call.proceed() }
          return { every.remove() }
        }, makeBlocks),
      .hooked(
        "every.call", baseline: "block.direct", expected: Sums.add, count: { calls.value },
        by: {
          let before = try EveryBlock().hook(.before, onError: handlerFailed) { _ in calls.add() }
          let instead = try EveryBlock().hook(onError: handlerFailed) { call in try call.proceed() }
          return {
            before.remove()
            instead.remove()
          }
        }, { iterations in try AddBlock().sum(calling: iterations) }),
    ]
  }

  private static func makeBlocks(_ count: Int) -> Int {
    for index in 0..<count { _ = makeBlock(Int32(truncatingIfNeeded: index)) }
    return count
  }
}

// Not inlined, as the block would not be made at all.
@inline(never) private func makeBlock(_ offset: Int32) -> AddBlock.Add {
  { $0 + Int32($1) + offset }
}
