internal import BlockABI

/// How much a queue had to do: the blocks that waited there for their turn, and those that ran, at
/// once.
package struct QueueLoad: Sendable, Hashable {
  /// The largest number of blocks that waited.
  package private(set) var deepest = 0

  /// The largest number of blocks that ran.
  package private(set) var mostAtOnce = 0

  private var waiting = 0
  private var running = 0

  mutating func submit(by way: SubmissionWay) {
    guard !way.isDelayed else { return }
    waiting += 1
    deepest = max(deepest, waiting)
  }

  mutating func cancel(_ way: SubmissionWay) {
    if !way.isDelayed { waiting = max(waiting - 1, 0) }
  }

  mutating func begin(_ way: SubmissionWay) {
    cancel(way)
    running += 1
    mostAtOnce = max(mostAtOnce, running)
  }

  mutating func end() { running = max(running - 1, 0) }

  /// The larger numbers of two queues, or of two processes with a queue of the same label.
  package func combined(with other: QueueLoad) -> QueueLoad {
    var load = self
    load.deepest = max(deepest, other.deepest)
    load.mostAtOnce = max(mostAtOnce, other.mostAtOnce)
    return load
  }
}
