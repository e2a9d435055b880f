import CallTracing

/// Rings of what waits for each other: threads that wait for serial queues and locks, which other
/// threads of the ring keep, and tasks that await each other.
///
/// A thread keeps the serial queues whose blocks it runs, and the main thread the main queue; it
/// runs tasks, and these keep their actors while they run. A task that is suspended keeps no actor.
/// What has no owner, as a semaphore, ends the search.
struct Deadlocks {
  private enum Node: Hashable {
    case thread(TracedThread)
    case queue(process: Int32, name: String)
    case task(process: Int32, number: UInt64)
    case actor(ActorPlace)
    case lock(HeldLock)
  }

  /// A line for each ring.
  let lines: [String]

  /// Finds the rings.
  ///
  /// - Parameters:
  ///   - threads: The open calls of threads, the outermost first.
  ///   - waiting: The tasks that are suspended, and the blocks and tasks that have not begun.
  ///   - locks: The locks for which threads wait.
  init(
    _ threads: some Sequence<[TraceRecord]>, _ waiting: [TraceRecord],
    _ locks: [TracedThread: HeldLock]
  ) {
    var graph = Graph()
    for calls in threads { graph.add(thread: calls) }
    for (thread, lock) in locks { graph.add(thread, waitsFor: lock) }
    for record in waiting { graph.add(waiting: record) }
    lines = graph.rings.map { ring in
      (ring.count == 2
        ? ring.joined(separator: " ⇄ ") : (ring + ring.prefix(1)).joined(separator: " → "))
    }.map { "deadlock: \($0)" }.sorted()
  }

  /// Who waits for whom.
  private struct Graph {
    private var edges: [Node: Set<Node>] = [:]
    private var names: [Node: String] = [:]

    private mutating func add(_ from: Node, waitsFor to: Node) {
      edges[from, default: []].insert(to)
    }

    private mutating func node(_ queue: TracedQueue, in process: Int32) -> Node {
      let node = Node.queue(process: process, name: queue.name)
      names[node] = queue.name.isEmpty ? "(no label)" : queue.name
      return node
    }

    private mutating func node(_ task: TracedTask, in process: Int32) -> Node {
      let node = Node.task(process: process, number: task.number)
      names[node] = task.description
      return node
    }

    mutating func add(thread calls: [TraceRecord]) {
      guard let last = calls.last else { return }
      let thread = Node.thread(TracedThread(last))
      if last.kind == .wait, let queue = last.target, queue.isSerial != false {
        add(thread, waitsFor: node(queue, in: last.process))
      }
      if last.thread == last.process {
        let main = Node.queue(process: last.process, name: TracedQueue.mainName)
        names[main] = TracedQueue.mainName
        add(main, waitsFor: thread)
      }
      for call in calls where call.kind == .call {
        if let queue = call.queue, queue.isSerial == true {
          add(node(queue, in: call.process), waitsFor: thread)
        }
        guard call.isPartOfTask, let task = call.task else { continue }
        add(node(task, in: call.process), waitsFor: thread)
        if let actor = call.actorPlace { add(.actor(actor), waitsFor: thread) }
      }
    }

    mutating func add(_ thread: TracedThread, waitsFor lock: HeldLock) {
      names[.lock(lock)] = lock.description
      add(.thread(thread), waitsFor: .lock(lock))
      let owner = TracedThread(process: lock.process, number: lock.owner)
      add(.lock(lock), waitsFor: .thread(owner))
    }

    mutating func add(waiting record: TraceRecord) {
      guard record.isPartOfTask, let task = record.task else { return }
      let node = node(task, in: record.process)
      if record.outcome == .pending, let queue = record.target, queue.isSerial == true {
        add(node, waitsFor: self.node(queue, in: record.process))
      }
      // A task that was resumed waits for a thread.
      guard record.outcome == .suspended, record.resumption == nil else { return }
      if let awaited = record.taskWait?.task {
        add(node, waitsFor: self.node(awaited, in: record.process))
      }
      if let place = record.awaitedActorPlace, let actor = record.taskWait?.actor {
        names[.actor(place)] = actor.description
        add(node, waitsFor: .actor(place))
      }
    }

    /// The names of the rings' members but threads, each ring from the name that comes first.
    var rings: Set<[String]> {
      let inner = Self.reversed(Self.withoutEnds(Self.reversed(Self.withoutEnds(edges))))
      var rings: Set<[String]> = []
      var seen: Set<Node> = []
      var searches = 0
      for start in inner.keys where !seen.contains(start) {
        guard searches < Self.limit else { break }
        searches += 1
        guard let ring = Self.ring(from: start, inner) else { continue }
        seen.formUnion(ring)
        rings.insert(Self.normal(ring.compactMap { names[$0] }))
      }
      return rings
    }

    /// So often a ring is looked for: a search takes as long as there are nodes.
    private static let limit = 100

    private static func reversed(_ edges: [Node: Set<Node>]) -> [Node: Set<Node>] {
      var reversed: [Node: Set<Node>] = [:]
      for (from, targets) in edges { for to in targets { reversed[to, default: []].insert(from) } }
      return reversed
    }

    /// The edges without those that lead to what does not wait.
    private static func withoutEnds(_ edges: [Node: Set<Node>]) -> [Node: Set<Node>] {
      var inner = edges
      let sources = reversed(edges)
      var ends = sources.keys.filter { edges[$0] == nil }
      while let end = ends.popLast() {
        for from in sources[end] ?? [] {
          inner[from]?.remove(end)
          if inner[from]?.isEmpty == true {
            inner[from] = nil
            ends.append(from)
          }
        }
      }
      return inner
    }

    /// The shortest way from a node back to it.
    private static func ring(from start: Node, _ edges: [Node: Set<Node>]) -> [Node]? {
      var before: [Node: Node] = [:]
      var next = [start]
      var index = 0
      while index < next.count {
        for node in edges[next[index]] ?? [] {
          if node == start {
            var ring = [next[index]]
            while let last = ring.last, let earlier = before[last] { ring.append(earlier) }
            return ring.reversed()
          }
          guard before[node] == nil else { continue }
          before[node] = next[index]
          next.append(node)
        }
        index += 1
      }
      return nil
    }

    private static func normal(_ ring: [String]) -> [String] {
      guard let first = ring.indices.min(by: { ring[$0] < ring[$1] }) else { return ring }
      return Array(ring[first...] + ring[..<first])
    }
  }
}

extension TracedQueue {
  /// The name of the main queue.
  fileprivate static let mainName = "com.apple.main-thread"
}
