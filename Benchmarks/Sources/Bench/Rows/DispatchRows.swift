import BlockRuntime
import CallTracing
import Dispatch
import Measuring
import QueueTracing
import SymbolInterposing
import Synchronization

/// A block given to a concurrent queue, and an iteration of `concurrentPerform`: both do next to nothing, so
/// that what is added to them shows.
enum DispatchRows {
  static var all: [Row] {
    var trace: CollectedTrace?
    return [
      Row(
        "dispatch.direct", baseline: "call.direct", fixedIterations: count,
        expected: expected, prepare: { run }),
      .hooked(
        "dispatch.hooked", baseline: "dispatch.direct", fixedIterations: count,
        expected: expected, count: { EveryBlock.counts.hooked },
        by: {
          let every = try EveryBlock().hook(onError: handlerFailed) { call in try call.proceed() }
          meetSources()
          return { every.remove() }
        }, run),
      Row(
        "dispatch.traced", baseline: "dispatch.direct", fixedIterations: count,
        expected: expected,
        during: {
          let made = try trace ?? CollectedTrace()
          trace = made
          let queues = try QueueTrace.begin(with: made.tracer)
          let every = try EveryBlock().install(.tracing(with: made.tracer))
          meetSources()
          return {
            every.removeAndWait()
            queues?.remove()
            try made.collect()
          }
        },
        prepare: {
          { iterations in
            trace?.expect(2 * iterations)
            return run(iterations)
          }
        }),
    ]
  }

  /// As many as take milliseconds, and as a stream has room for: about four traced calls each.
  private static let count = 1 << 11

  private static func expected(_ iterations: Int) -> Int { 2 * iterations }

  /// Lets what the blocks were compiled to be looked up, which takes milliseconds.
  static func meetSources() { _ = run(100) }

  /// Gives so many blocks to a queue, and runs so many iterations; returns how many ran.
  static func run(_ iterations: Int) -> Int {
    let queue = DispatchQueue(label: "bench", attributes: .concurrent)
    let group = DispatchGroup()
    let sum = Sum()
    for _ in 0..<iterations { queue.async(group: group) { sum.add() } }
    group.wait()
    DispatchQueue.concurrentPerform(iterations: iterations) { _ in sum.add() }
    return sum.value
  }

  private final class Sum: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
  }
}
