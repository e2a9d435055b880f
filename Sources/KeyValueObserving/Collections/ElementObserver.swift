internal import BlockRuntimeThreads

extension KeyValueObservable {
  /// Observes a property of all objects in a collection; the observers follow the membership.
  ///
  /// An object that comes into the collection is observed from then on, with `initial` also told of;
  /// one that leaves it is not observed any more. An object that is in it several times is observed
  /// once. Each change of the collection looks at all its members; within a transaction the observers
  /// follow at its end.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - keyPath: What is observed of its members.
  ///   - options: What the observer is told, and when.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; it gets the member that changes.
  /// - Returns: The observation, for its removal; it may be dropped.
  @discardableResult
  public func observeElements<Members: Collection, Value>(
    of collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Members.Element, Change<Value>) throws -> Void
  ) -> KeyValueObservation where Members.Element: KeyValueObservable {
    let elements = ElementObserver<Members.Element, Value>(keyPath, options, handler)
    let observation = observe(
      collection, [], name,
      ChangeHandler<Members> { [weak self] _, _ in
        guard let self else { return }
        elements.follow(self[keyPath: collection])
      })
    elements.begin(self[keyPath: collection], observation)
    return observation
  }
}

/// The observers of the members of a collection.
private final class ElementObserver<Element: KeyValueObservable, Value> {
  private let keyPath: KeyPath<Element, Value>
  private let options: ObservingOptions
  private let handler: (Element, Change<Value>) throws -> Void
  private let members = MemberObservations()
  private weak var whole: KeyValueObservation?

  init(
    _ keyPath: KeyPath<Element, Value>, _ options: ObservingOptions,
    _ handler: @escaping (Element, Change<Value>) throws -> Void
  ) {
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
  }

  func begin(_ elements: some Collection<Element>, _ observation: KeyValueObservation) {
    whole = observation
    observation.attach { [members] _ in members.end() }
    follow(elements)
  }

  /// Observes the members that are new, and no longer those that are gone.
  func follow(_ elements: some Collection<Element>) {
    var missing: [Element] = []
    var present: Set<ObjectIdentifier> = []
    for element in elements where present.insert(ObjectIdentifier(element)).inserted {
      if !members.has(ObjectIdentifier(element)) { missing.append(element) }
    }
    let turn = members.keep(present)
    // An observer may change the membership in its initial call: then that change sees to the rest.
    for element in missing where members.isLatest(turn) { observe(element) }
  }

  private func observe(_ element: Element) {
    // The initial call comes when the observation is known, so that it can end it.
    let observation = element.observe(
      keyPath, options.subtracting(.initial), nil,
      ChangeHandler<Value> { [weak whole, handler] object, change in
        // SAFETY: an observation's object is the one it was made for.
        let element = unsafe unsafeDowncast(object, to: Element.self)
        whole?.call { try handler(element, change) }
      })
    guard members.add(observation, of: ObjectIdentifier(element)), options.contains(.initial)
    else { return }
    let value = options.contains(.new) ? element[keyPath: keyPath] : nil
    DependencyTracker.suspended { observation.call(element, Change(new: value)) }
  }
}

/// The observations of the members, by member.
private final class MemberObservations: Sendable {
  private let state = Locked(State())

  private struct State {
    var observations: [ObjectIdentifier: KeyValueObservation] = [:]
    var isEnded = false
    var turn = 0
  }

  /// Whether a member is observed. (Of one that has died another may have the place.)
  func has(_ member: ObjectIdentifier) -> Bool {
    state.withLock { $0.observations[member].map { !$0.isRemoved } ?? false }
  }

  /// Adds an observation, unless the member has one, or all have ended: then it is removed.
  func add(_ observation: KeyValueObservation, of member: ObjectIdentifier) -> Bool {
    let (isAdded, present) = state.withLock { state in
      let present = state.observations[member]
      guard !state.isEnded, present?.isRemoved ?? true else { return (false, present) }
      state.observations[member] = observation
      return (true, present)
    }
    // One that is replaced ends under no lock.
    withExtendedLifetime(present) {}
    if !isAdded { observation.remove() }
    return isAdded
  }

  /// Removes the observations of all but some members.
  ///
  /// - Returns: The number of this turn.
  func keep(_ members: Set<ObjectIdentifier>) -> Int {
    let (gone, turn) = state.withLock { state in
      let gone = state.observations.filter { !members.contains($0.key) }
      for member in gone.keys { state.observations[member] = nil }
      state.turn += 1
      return (gone.values, state.turn)
    }
    for observation in gone { observation.remove() }
    return turn
  }

  /// Whether no later turn has begun.
  func isLatest(_ turn: Int) -> Bool { state.withLock { $0.turn == turn } }

  func end() {
    let all = state.withLock { state in
      state.isEnded = true
      defer { state.observations = [:] }
      return state.observations.values
    }
    for observation in all { observation.remove() }
  }
}
