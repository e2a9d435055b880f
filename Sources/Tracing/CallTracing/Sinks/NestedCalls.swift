/// Puts the calls of each thread in the order in which they began: a call before those inside of
/// it.
///
/// Records arrive as their calls end, those inside of a call before it.
struct NestedCalls {
  /// The calls of a thread that wait for the call around them.
  private struct Waiting {
    var calls: [TraceRecord] = []
    var weight = 0
  }

  /// How many calls of a thread may wait for the call around them, or fewer with long texts.
  ///
  /// Of more, the first ones are given without it.
  private let limit: Int

  private var waiting: RecentValues<TracedThread, Waiting>

  init(limit: Int = 1 << 14) {
    self.limit = limit
    waiting = RecentValues(limit: 16 * limit, weigh: \.weight)
  }

  /// Adds a call that has ended.
  ///
  /// - Returns: The call with those inside of it, in the order in which they began; empty while the
  ///   call around it has not ended.
  mutating func add(_ record: TraceRecord) -> [TraceRecord] {
    waiting.update(TracedThread(record)) { inside in
      guard record.depth > 0 else {
        defer { inside = nil }
        return inside.map { Self.ordered($0.calls + [record]) } ?? [record]
      }
      if inside == nil { inside = Waiting() }
      inside?.calls.append(record)
      inside?.weight += record.weight
      guard let waiting = inside, waiting.calls.count >= limit || waiting.weight >= 4 * limit else {
        return []
      }
      inside = nil
      return Self.ordered(waiting.calls)
    }
  }

  /// Removes and returns what waits of too many threads, by thread.
  mutating func removeOldest() -> [[TraceRecord]] { waiting.trim().map { Self.ordered($0.calls) } }

  /// Removes and returns what still waits, by thread.
  mutating func removeAll() -> [[TraceRecord]] {
    defer { waiting = RecentValues(limit: 16 * limit, weigh: \.weight) }
    return waiting.all.map { Self.ordered($0.value.calls) }
  }

  private static func ordered(_ calls: [TraceRecord]) -> [TraceRecord] {
    calls.indices.sorted { first, second in
      let (left, right) = (calls[first], calls[second])
      if left.startNanoseconds != right.startNanoseconds {
        return left.startNanoseconds < right.startNanoseconds
      }
      return left.depth == right.depth ? first < second : left.depth < right.depth
    }.map { calls[$0] }
  }
}

extension [TraceRecord] {
  /// The records, those of calls that have not ended last, and inner ones of these before outer
  /// ones.
  var innermostFirst: [TraceRecord] {
    guard contains(where: { $0.outcome == .unfinished }) else { return self }
    let unfinished = indices.filter { self[$0].outcome == .unfinished }.sorted {
      self[$0].depth == self[$1].depth ? $0 < $1 : self[$0].depth > self[$1].depth
    }
    return filter { $0.outcome != .unfinished } + unfinished.map { self[$0] }
  }
}
