import CallTracing

/// Rings of threads that wait for serial queues, each of which another thread of the ring keeps.
///
/// A thread keeps the serial queues whose blocks it runs, and the main thread the main queue. What
/// has no owner, as a semaphore, ends the search.
struct Deadlocks {
  private struct Queue: Hashable {
    let process: Int32
    let name: String
  }

  /// A line for each ring.
  let lines: [String]

  /// Finds the rings.
  ///
  /// - Parameter threads: The open calls of threads, the outermost first.
  init(_ threads: some Sequence<[TraceRecord]>) {
    // The queues for which the thread waits that keeps a queue.
    var edges: [Queue: [Queue]] = [:]
    for calls in threads {
      guard let wait = calls.last, wait.kind == .wait, let target = wait.target,
        target.isSerial != false
      else { continue }
      let to = Queue(process: wait.process, name: target.name)
      var kept = Set(
        calls.dropLast().filter { $0.kind == .call && $0.queue?.isSerial == true }
          .compactMap { $0.queue.map { Queue(process: wait.process, name: $0.name) } })
      if wait.thread == wait.process {
        kept.insert(Queue(process: wait.process, name: "com.apple.main-thread"))
      }
      for from in kept { edges[from, default: []].append(to) }
    }
    var rings: Set<[Queue]> = []
    for start in edges.keys {
      if let ring = Self.ring(from: start, edges) { rings.insert(Self.normal(ring)) }
    }
    lines = rings.map { ring in
      let names = ring.map { $0.name.isEmpty ? "(no label)" : $0.name }
      let isPair = names.count == 2
      return "deadlock: "
        + (isPair ? names.joined(separator: " ⇄ ") : (names + [names[0]]).joined(separator: " → "))
    }.sorted()
  }

  /// The shortest way from a queue back to it.
  private static func ring(from start: Queue, _ edges: [Queue: [Queue]]) -> [Queue]? {
    var before: [Queue: Queue] = [:]
    var next = [start]
    var index = 0
    while index < next.count {
      for queue in edges[next[index]] ?? [] {
        if queue == start {
          var ring = [next[index]]
          while let last = ring.last, let earlier = before[last] { ring.append(earlier) }
          return ring.reversed()
        }
        guard before[queue] == nil else { continue }
        before[queue] = next[index]
        next.append(queue)
      }
      index += 1
    }
    return nil
  }

  /// The ring as it reads from the queue whose name comes first.
  private static func normal(_ ring: [Queue]) -> [Queue] {
    guard let first = ring.indices.min(by: { ring[$0].name < ring[$1].name }) else { return ring }
    return Array(ring[first...] + ring[..<first])
  }
}
