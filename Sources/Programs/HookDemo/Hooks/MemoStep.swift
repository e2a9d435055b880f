import BlockRuntime
import CallMemoization

extension HookDemonstration {
  /// The results of a block, cached.
  static let memoStep = TourStep(
    "memoize", "Results are kept by their arguments, the least recently used go",
    code: "let memo = try block.install(.memoizing(limits: MemoLimits(count: 2)))"
  ) { exhibits, log in
    let below = try exhibits.addBlock.hook(.before) { log.say("runs with \($0.arguments)") }
    defer { below.remove() }
    let installed = try exhibits.addBlock.install(.memoizing(limits: MemoLimits(count: 2)))
    let memo = installed.handle
    defer { installed.hook.remove() }
    func sums(_ numbers: Int32...) -> [Int32] { numbers.map { exhibits.add($0, 0.5) } }
    let first = log.hearing { log.check("add of 1, 2, 1, 2", sums(1, 2, 1, 2), is: [1, 2, 1, 2]) }
    log.check("ran", first.count, is: 2)
    log.check("hits and misses", [memo.hits, memo.misses], is: [2, 2])
    let second = log.hearing { log.check("add of 3, 2, 1", sums(3, 2, 1), is: [3, 2, 1]) }
    log.check("1 was used least recently, and had to go: ran", second.count, is: 2)
    log.check("evictions", memo.statistics.evictions, is: 2)
    log.check("one result is removed", try memo.remove(arguments: [1, 0.5]))
    log.check("results that are kept", memo.count, is: 1)
  }
}
