/// A program of a few threads, each of which takes one path: a load says which value it must read
/// for that path to be taken.
struct LitmusProgram {
  /// The events of all threads, each thread's in the order of its program, after those that set
  /// every location to 0.
  private(set) var events: [Event] = []
  private(set) var threadCount = 0

  /// The last event that is stored in each location, as a program may demand it.
  private(set) var finals: [String: Int] = [:]

  init(_ threads: (inout LitmusThread) -> Void..., finally finals: [String: Int] = [:]) {
    var bodies: [LitmusThread] = []
    for body in threads {
      var thread = LitmusThread()
      body(&thread)
      bodies.append(thread)
    }
    let locations = Set(bodies.flatMap(\.events).map(\.location)).subtracting([""]).sorted()
    events = locations.map { Event(kind: .store(0), location: $0) }
    for (number, body) in bodies.enumerated() {
      let first = events.count
      for var event in body.events {
        event.thread = number
        event.exchanged = event.exchanged.map { $0 + first }
        event.dependsOn = event.dependsOn.map { $0 + first }
        event.isConditionalOn = event.isConditionalOn.map { $0 + first }
        events.append(event)
      }
    }
    threadCount = bodies.count
    self.finals = finals
  }
}

/// The path of one thread.
struct LitmusThread {
  /// A load, for accesses that need its value.
  struct Load {
    fileprivate let index: Int
  }

  fileprivate var events: [Event] = []
  private var conditions: [Int] = []

  /// Stores a value.
  mutating func store(
    _ value: Int, in location: String, _ order: Order = .plain, needing loads: Load...
  ) {
    append(.store(value), location, order, loads)
  }

  /// Loads from a location; the path is the one on which it finds the value, or any if there is
  /// none.
  @discardableResult
  mutating func load(
    _ location: String, finding value: Int? = nil, _ order: Order = .plain, needing loads: Load...
  ) -> Load {
    append(.load(expected: value), location, order, loads)
    return Load(index: events.count - 1)
  }

  /// Replaces a value in one step.
  mutating func exchange(
    _ location: String, finding value: Int, storing next: Int, _ load: Order = .plain,
    _ store: Order = .plain
  ) {
    append(.load(expected: value), location, load, [])
    append(.store(next), location, store, [])
    events[events.count - 1].exchanged = events.count - 2
  }

  /// Everything that follows is executed only if a load finds its value.
  mutating func branch(on load: Load) { conditions.append(load.index) }

  mutating func fence() { append(.fence, "", .plain, []) }
  mutating func storeFence() { append(.storeFence, "", .plain, []) }
  mutating func membarrier() { append(.membarrier, "", .plain, []) }

  private mutating func append(
    _ kind: Event.Kind, _ location: String, _ order: Order, _ loads: [Load]
  ) {
    var event = Event(kind: kind, location: location, order: order)
    event.dependsOn = loads.map(\.index)
    event.isConditionalOn = conditions
    events.append(event)
  }
}
