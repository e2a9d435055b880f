/// Searches all executions of a program.
struct Executions {
  private let program: LitmusProgram
  private let model: ArmModel

  init(_ program: LitmusProgram) {
    self.program = program
    model = ArmModel(program)
  }

  /// Whether the program's threads can all take their paths, in some execution that the
  /// architecture allows.
  var areAnyPossible: Bool {
    let loads = program.events.indices.filter { program.events[$0].isLoad }
    let barriers = moments
    for stores in storeOrders {
      for sources in choices(loads.map(sources(of:))) {
        let read = Dictionary(uniqueKeysWithValues: zip(loads, sources))
        for moments in choices(barriers) where model.allows(read, stores, moments) { return true }
      }
    }
    return false
  }

  /// The stores that a load can read on its path.
  private func sources(of load: Int) -> [Int] {
    guard case .load(let expected) = program.events[load].kind else { return [] }
    return program.events.indices.filter { index in
      let event = program.events[index]
      return event.isStore && event.location == program.events[load].location
        && (expected == nil || event.stored == expected)
    }
  }

  /// The orders in which memory can take each location's stores; the first sets it to 0.
  private var storeOrders: [[String: [Int]]] {
    let byLocation = Dictionary(
      grouping: program.events.indices.filter { program.events[$0].isStore }
    ) { program.events[$0].location }.sorted { $0.key < $1.key }
    let orders = byLocation.map { location, stores in
      permutations(Array(stores.dropFirst())).map { [stores[0]] + $0 }.filter { order in
        guard let final = program.finals[location] else { return true }
        return order.last.flatMap { program.events[$0].stored } == final
      }
    }
    return choices(orders).map { orders in
      Dictionary(uniqueKeysWithValues: zip(byLocation.map(\.key), orders))
    }
  }

  /// For each membarrier and each other thread, the moments at which it can take effect there.
  private var moments: [[Moment]] {
    let events = program.events
    return events.indices.filter { events[$0].kind == .membarrier }.flatMap { membarrier in
      (0..<program.threadCount).filter { $0 != events[membarrier].thread }.map { thread in
        let own = events.indices.filter { events[$0].thread == thread }
        let range = (own.first ?? 0)..<(own.last.map { $0 + 1 } ?? 0)
        return (0...range.count).map { Moment(membarrier: membarrier, events: range, count: $0) }
      }
    }
  }

  private func permutations(_ elements: [Int]) -> [[Int]] {
    guard !elements.isEmpty else { return [[]] }
    return elements.indices.flatMap { index in
      var rest = elements
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  /// All ways to choose one element of each list.
  private func choices<Element>(_ lists: [[Element]]) -> [[Element]] {
    lists.reduce([[]]) { chosen, list in
      chosen.flatMap { beginning in list.map { beginning + [$0] } }
    }
  }
}
