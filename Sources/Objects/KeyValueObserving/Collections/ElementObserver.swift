internal import BlockRuntimeThreads

extension PropertyOwner {
  /// Observes a property of all objects in a collection, whose members may change.
  ///
  /// An object that enters the collection is observed from then on (with `initial`, the observer is
  /// called for it at once); one that leaves it is no longer observed. An object that is in it
  /// several times is observed once. Each change of the collection visits all its members; in a
  /// transaction, this happens at the end.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - keyPath: The observed key path of its members.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; it receives the member that changes.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult
  public func observeElements<Members: Collection, Value>(
    of collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Members.Element, Change<Value>) throws -> Void
  ) -> KeyValueObservation where Members.Element: KeyValueObservable {
    observeMembers(collection, keyPath, options, name, handler)
  }

  fileprivate func observeMembers<Members: Collection, Value>(
    _ collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    _ options: ObservingOptions, _ name: String?,
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

extension KeyValueObservable {
  /// Observes objects in a collection that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - keyPath: The observed key path of its members.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; it receives the member that changes.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult
  public func observeElements<Members: Collection, Value>(
    of collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Members.Element, Change<Value>) throws -> Void
  ) -> KeyValueObservation where Members.Element: KeyValueObservable & Sendable {
    observeMembers(collection, keyPath, options, name, handler)
  }
}

extension KeyValueObservable where Self: Sendable {
  /// Observes objects in a collection of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - keyPath: The observed key path of its members.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; it receives the member that changes.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult
  public func observeElements<Members: Collection, Value>(
    of collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Members.Element, Change<Value>) throws -> Void
  ) -> KeyValueObservation where Members.Element: KeyValueObservable {
    observeMembers(collection, keyPath, options, name, handler)
  }

  /// Observes objects in a collection, where any thread may change both.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - keyPath: The observed key path of its members.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; it receives the member that changes.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult
  public func observeElements<Members: Collection, Value>(
    of collection: KeyPath<Self, Members>, _ keyPath: KeyPath<Members.Element, Value>,
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Members.Element, Change<Value>) throws -> Void
  ) -> KeyValueObservation where Members.Element: KeyValueObservable & Sendable {
    observeMembers(collection, keyPath, options, name, handler)
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
    observation.beginParts()
    observation.attach { [members] _ in members.end() }
    follow(elements)
  }

  /// Begins to observe new members, and ends the observations of members that have left.
  func follow(_ elements: some Collection<Element>) {
    var missing: [Element] = []
    var present: Set<ObjectIdentifier> = []
    for element in elements where present.insert(ObjectIdentifier(element)).inserted {
      if !members.has(ObjectIdentifier(element)) { missing.append(element) }
    }
    let turn = members.keep(present)
    // An initial call may change the collection: that change then observes the remaining members.
    for element in missing where members.isLatest(turn) { observe(element) }
  }

  private func observe(_ element: Element) {
    // The initial call is made after the observation was registered, so that the call can end it.
    let observation = element.observe(
      keyPath, options.subtracting(.initial), nil,
      ChangeHandler<Value> { [weak whole, handler] object, change in
        // SAFETY: a handler runs with the observed object, which is an `Element`.
        let element = unsafe unsafeDowncast(object, to: Element.self)
        whole?.runHandler { try handler(element, change) }
      })
    guard members.add(observation, of: ObjectIdentifier(element)) else { return }
    whole?.add(observation)
    guard options.contains(.initial) else { return }
    let value = options.contains(.new) ? element[keyPath: keyPath] : nil
    observation.runInitialCall(element, Change(new: value))
  }
}

/// The observations of the members, by the members' identities.
private final class MemberObservations: Sendable {
  private let state = Locked(State())

  private struct State {
    var observations: [ObjectIdentifier: KeyValueObservation] = [:]
    var isEnded = false
    var turn = 0
  }

  /// Whether a member is observed. (The entry may be that of a dead object with the same address:
  /// its observation is removed.)
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
    // A replaced observation is released while no lock is held.
    withExtendedLifetime(present) {}
    if !isAdded { observation.remove() }
    return isAdded
  }

  /// Removes the observations of all but the given members.
  ///
  /// - Returns: The number of this update.
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

  /// Whether no later update has begun.
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

extension MemberObservations: ReferenceTable {
  package var contents: Any { state.withLock { $0 } }
}
