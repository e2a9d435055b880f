/// The order that the Arm architecture guarantees, of those who observe each other's stores.
///
/// Specification: Arm Architecture Reference Manual, B2.3, "Definition of the Armv8 memory model".
/// What is left out only orders more: tags, and the rules for pairs and vectors. A membarrier is a
/// full barrier of its caller and of every other thread, at one moment between two of its events.
struct ArmModel {
  private let events: [Event]
  /// Events of the same thread, earlier ones first.
  private let programOrder: Relation
  /// What a thread's own events order: dependencies, acquires, releases and barriers.
  private var localOrder: Relation

  init(_ program: LitmusProgram) {
    events = program.events
    var order = Relation(count: events.count)
    for first in events.indices {
      for second in events.indices where second > first {
        guard let thread = events[first].thread, thread == events[second].thread else { continue }
        order.insert(first, second)
      }
    }
    programOrder = order
    localOrder = Relation(count: events.count)
    for first in events.indices {
      for second in events.indices where order.contains(first, second) && isOrdered(first, second) {
        localOrder.insert(first, second)
      }
    }
  }

  /// Whether two events of a thread are ordered without regard to what loads read.
  private func isOrdered(_ first: Int, _ second: Int) -> Bool {
    let (earlier, later) = (events[first], events[second])
    if isFence(earlier) || isFence(later) { return true }
    // Acquires and releases.
    if earlier.isLoad, earlier.order == .acquire || earlier.order == .acquirePC { return true }
    if later.isStore, later.order == .release { return true }
    if earlier.isStore, earlier.order == .release, later.isLoad, later.order == .acquire {
      return true
    }
    // Store barriers.
    if earlier.isStore, later.isStore,
      (first..<second).contains(where: { events[$0].kind == .storeFence })
    {
      return true
    }
    // A store to the same location.
    if later.isStore, earlier.location == later.location, earlier.isLoad || earlier.isStore {
      return true
    }
    // Dependencies: of an address or a value; of a store's execution; of an address, for later
    // stores.
    if later.dependsOn.contains(first) { return true }
    if later.isStore, later.isConditionalOn.contains(first) { return true }
    if later.isStore,
      (first..<second).contains(where: {
        !events[$0].isStore && events[$0].dependsOn.contains(first)
      })
    {
      return true
    }
    return later.exchanged == first
  }

  private func isFence(_ event: Event) -> Bool { event.kind == .fence || event.kind == .membarrier }

  /// Whether an execution is possible.
  ///
  /// - Parameters:
  ///   - sources: For each load the store that it reads.
  ///   - stores: For each location its stores, in the order in which memory takes them.
  ///   - moments: For each membarrier and each other thread, when it takes effect there.
  /// - Returns: Whether the architecture allows it.
  func allows(
    _ sources: [Int: Int], _ stores: [String: [Int]], _ moments: [Moment]
  ) -> Bool {
    var communication = Relation(count: events.count)
    var external = communication
    func add(_ first: Int, _ second: Int) {
      communication.insert(first, second)
      if events[first].thread != events[second].thread { external.insert(first, second) }
    }
    for order in stores.values {
      for (place, store) in order.enumerated() {
        for later in order[(place + 1)...] { add(store, later) }
        for (load, source) in sources where source == store {
          add(store, load)
          for later in order[(place + 1)...] where later != load { add(load, later) }
          if !isAtomic(load, place, order) { return false }
        }
      }
    }
    return isCoherent(communication) && isOrdered(external, sources, moments)
  }

  /// Whether nothing comes between the load and the store of a read-modify-write.
  private func isAtomic(_ load: Int, _ place: Int, _ order: [Int]) -> Bool {
    guard let store = events.indices.first(where: { events[$0].exchanged == load }) else {
      return true
    }
    return order.dropFirst(place + 1).first == store
  }

  /// Whether each location behaves as if it alone were shared.
  private func isCoherent(_ communication: Relation) -> Bool {
    var relation = communication
    for first in events.indices {
      for second in events.indices
      where programOrder.contains(first, second) && !events[first].location.isEmpty
        && events[first].location == events[second].location
      {
        relation.insert(first, second)
      }
    }
    return relation.isAcyclic
  }

  private func isOrdered(
    _ external: Relation, _ sources: [Int: Int], _ moments: [Moment]
  ) -> Bool {
    var relation = external
    relation.formUnion(localOrder)
    for (load, source) in sources where events[source].thread == events[load].thread {
      for index in events.indices {
        // A load of what this thread stored just before depends on what that store needed.
        if events[source].dependsOn.contains(index) { relation.insert(index, load) }
      }
      // An acquire load of what a read-modify-write stored.
      if events[source].exchanged != nil, events[load].order != .plain {
        relation.insert(source, load)
      }
    }
    for moment in moments { moment.add(to: &relation, programOrder) }
    return relation.isAcyclic
  }
}

/// When a membarrier takes effect in another thread.
struct Moment {
  let membarrier: Int
  /// The thread's events, of which the first `count` come before it.
  let events: Range<Int>
  let count: Int

  fileprivate func add(to relation: inout Relation, _ programOrder: Relation) {
    let before = events.prefix(count), after = events.dropFirst(count)
    for first in before {
      for second in after { relation.insert(first, second) }
      for second in membarrier..<64 where second == membarrier || isLater(second, programOrder) {
        relation.insert(first, second)
      }
    }
    for second in after {
      for first in 0...membarrier where first == membarrier || isEarlier(first, programOrder) {
        relation.insert(first, second)
      }
    }
  }

  private func isLater(_ event: Int, _ programOrder: Relation) -> Bool {
    programOrder.contains(membarrier, event)
  }

  private func isEarlier(_ event: Int, _ programOrder: Relation) -> Bool {
    programOrder.contains(event, membarrier)
  }
}
