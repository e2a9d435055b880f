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

  /// How many steps come before the handler of a signal, and what that does.
  private var interruption: (steps: Int, handler: (inout LitmusThread) -> Void)?

  /// How many steps the path has, but for the handler's.
  private var stepCount = 0

  /// Every path that a signal can make of one, whose handler runs between two steps.
  ///
  /// The steps are the accesses and what `step()` says. The processor keeps the order of the
  /// handler's accesses among the others as it keeps that of any others.
  static func interrupting(
    _ body: @escaping (inout LitmusThread) -> Void,
    by handler: @escaping (inout LitmusThread) -> Void
  ) -> [(inout LitmusThread) -> Void] {
    var whole = LitmusThread()
    body(&whole)
    return (0...whole.stepCount).map { steps in
      { thread in
        thread.interruption = (steps, handler)
        body(&thread)
        thread.step()
      }
    }
  }

  /// A step without an access to shared memory.
  mutating func step() {
    if let (steps, handler) = interruption, steps == stepCount {
      interruption = nil
      let outer = (conditions, stepCount)
      conditions = []
      handler(&self)
      (conditions, stepCount) = outer
    }
    stepCount += 1
  }

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
    events.append(event(.store(next), location, store, []))
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
    step()
    events.append(event(kind, location, order, loads))
  }

  private func event(
    _ kind: Event.Kind, _ location: String, _ order: Order, _ loads: [Load]
  ) -> Event {
    var event = Event(kind: kind, location: location, order: order)
    event.dependsOn = loads.map(\.index)
    event.isConditionalOn = conditions
    return event
  }
}
