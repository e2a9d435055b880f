/// The objects to which strong references lead from one object, with these references.
struct ReferenceGraph {
  /// A reference between two objects, by their numbers.
  struct Edge {
    let target: Int
    let reference: FoundReference
  }

  /// The objects, in the order of their distance from the first.
  private(set) var nodes: [HeapNode]

  /// The references of each object, by its number.
  private(set) var edges: [[Edge]] = []

  /// The places that may hold references which cannot be seen, and the numbers of their holders.
  private(set) var unknown: [(holder: Int, reference: FoundReference)] = []

  /// Whether all objects were read.
  private(set) var isComplete = true

  /// Reads the objects, breadth first, until there are more than a limit.
  init(from root: HeapNode, limit: Int) {
    nodes = [root]
    var numbers = [root: 0]
    let referenceLimit = limit > .max / 8 ? .max : 8 * limit
    var reader = ReferenceReader(limit: referenceLimit)
    var referenceCount = 0
    while edges.count < nodes.count {
      let holder = edges.count
      reader.read(nodes[holder])
      if reader.isFull { isComplete = false }
      var found: [Edge] = []
      for reference in reader.take() {
        referenceCount += 1
        if reference.ownership == .unknown { unknown.append((holder, reference)) }
        guard let node = reference.node else { continue }
        if numbers[node] == nil {
          guard nodes.count < limit, referenceCount < referenceLimit else {
            isComplete = false
            continue
          }
          numbers[node] = nodes.count
          nodes.append(node)
        }
        if let number = numbers[node] { found.append(Edge(target: number, reference: reference)) }
      }
      edges.append(found)
    }
  }

  /// A way along references: the number of each holder, and the index of its reference.
  typealias Path = [(holder: Int, index: Int)]

  /// Cycles of references.
  ///
  /// Each cycle of the graph has the last reference of one of these: without those references there
  /// would be no cycle.
  ///
  /// Each is the shortest cycle around a reference that leads a depth-first search back to an
  /// object on its way.
  ///
  /// - Parameters:
  ///   - limit: How many cycles are returned at most.
  ///   - describe: Describes a cycle; nil if it is to be left out.
  /// - Returns: The descriptions, each once.
  func cycles(limit: Int, _ describe: (Path) -> RetainCycle?) -> [RetainCycle] {
    enum State { case new, entered, left }
    var states = Array(repeating: State.new, count: nodes.count)
    var stack = [(holder: 0, next: 0)]
    states[0] = .entered
    var known: Set<RetainCycle> = []
    var found: [RetainCycle] = []
    while let (holder, next) = stack.last, found.count < limit {
      guard next < edges[holder].count else {
        states[holder] = .left
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      let target = edges[holder][next].target
      switch states[target] {
      case .new:
        states[target] = .entered
        stack.append((target, 0))
      case .entered:
        let cycle = describe(path(from: target, to: holder) + [(holder, next)])
        if let cycle, known.insert(cycle).inserted { found.append(cycle) }
      case .left: break
      }
    }
    return found
  }

  /// The shortest way between two objects, of which there is one.
  private func path(from start: Int, to end: Int) -> Path {
    var arrivals: [Int: (holder: Int, index: Int)] = [:]
    var waiting = [start]
    var first = 0
    while arrivals[end] == nil, first < waiting.count, start != end {
      let holder = waiting[first]
      first += 1
      for (index, edge) in edges[holder].enumerated()
      where edge.target != start && arrivals[edge.target] == nil {
        arrivals[edge.target] = (holder, index)
        waiting.append(edge.target)
      }
    }
    var path: Path = []
    var place = end
    while place != start, let arrival = arrivals[place] {
      path.append(arrival)
      place = arrival.holder
    }
    return path.reversed()
  }
}
