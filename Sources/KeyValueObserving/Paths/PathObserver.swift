internal import Locks

/// What the links of a path tell of changes.
class AnyPathObserver: @unchecked Sendable {
  /// The number of the path's observation.
  final let number: UInt64

  init(number: UInt64) { self.number = number }

  /// A property on the path is about to change, or has changed.
  func linkChanges<Value>(_ link: ObjectIdentifier, _ change: Change<Value>) {}

  /// A property on the path has changed; its observer is not to be told.
  func linkFollows() {}

  /// A change by hand of a property on the path begins.
  func linkOpens(_ link: ObjectIdentifier) {}

  /// A change by hand of a property on the path ends.
  func linkCloses(_ link: ObjectIdentifier) {}
}

/// Observes the value of a path through the properties that its evaluation reads.
///
/// Each of these has an observer, a link. When one changes, the path is evaluated again, and the
/// links follow what was read. The links keep the path, the path its observation.
final class PathObserver<Value>: AnyPathObserver, @unchecked Sendable {
  private weak let root: AnyObject?
  private let observation: KeyValueObservation
  private let read: (AnyObject, Recording?) -> Value
  private let isOfCollection: Bool
  private let state = Locked(State())

  private struct Link {
    let observation: KeyValueObservation
    /// Whether the path's value is the property's collection itself.
    var handsOn: Bool
  }

  /// A value before a change.
  private typealias Old = (link: ObjectIdentifier, value: Value)

  private struct State {
    var links: [ObjectIdentifier: Link] = [:]
    var isRemoved = false
    /// Values before changes that are under way, each with the link that changes.
    var olds: [Old] = []
    /// Links that are changed by hand.
    var open: Set<ObjectIdentifier> = []
    /// A link has changed while some are changed by hand.
    var hasChanged = false
    /// What that link told of its collection, if it is the only one.
    var handedOn: Change<Value>?
    /// The evaluation whose reads the links follow.
    var evaluation: UInt64 = 0
    /// What that one read, if nothing but reading says what the value depends on.
    var trace: [ObjectIdentifier]?
    var evaluations: UInt64 = 0
  }

  /// Makes an observer without links.
  ///
  /// - Parameters:
  ///   - root: The object where the path begins; not retained.
  ///   - observation: Who is told.
  ///   - read: Evaluates the path; notes what is not seen by evaluating it.
  init(
    root: AnyObject, observation: KeyValueObservation,
    read: @escaping (AnyObject, Recording?) -> Value
  ) {
    self.root = root
    self.observation = observation
    self.read = read
    let type = (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self
    isOfCollection = type is any ObservableCollection.Type || Value.self == AnyValue.self
    super.init(number: observation.number)
  }

  /// Follows what an evaluation of the path reads, and returns its value.
  func follow(_ root: AnyObject) -> Value { evaluate(root).value }

  /// Removes the links.
  func stop() {
    let (links, olds) = state.withLock { state in
      state.isRemoved = true
      defer { (state.links, state.olds) = ([:], []) }
      return (state.links.values.map(\.observation), state.olds)
    }
    for link in links { link.remove() }
    // Values end under no lock: their ends may be the user's code.
    withExtendedLifetime(olds) {}
  }

  // MARK: Changes

  override func linkChanges<Other>(_ link: ObjectIdentifier, _ change: Change<Other>) {
    guard let root, !observation.isRemoved else { return }
    if change.isPrior { willChange(link, root, change) } else { didChange(link, root, change) }
  }

  private func willChange<Other>(
    _ link: ObjectIdentifier, _ root: AnyObject, _ change: Change<Other>
  ) {
    let old = Recording.suspended { read(root, nil) }
    let (isNested, handsOn) = state.withLock { state in
      defer { state.olds.append((link, old)) }
      return (
        state.open.contains { $0 != link } && !state.olds.isEmpty,
        state.links[link]?.handsOn ?? false
      )
    }
    guard observation.demands.contains(.prior), !isNested else { return }
    var prior = Change<Value>(isPrior: true)
    let isSame = handsOn && change.kind != .setting
    if isSame { (prior.kind, prior.indexes) = (change.kind, change.indexes) }
    if observation.demands.contains(.old) {
      prior.old = isSame ? change.old.flatMap(retyped) : old
    }
    observation.deliver(root, prior)
  }

  private func didChange<Other>(
    _ link: ObjectIdentifier, _ root: AnyObject, _ change: Change<Other>
  ) {
    typealias Present = (isLater: Bool, handsOn: Bool, dropped: Change<Value>?)
    let (isLater, handedOn, _) = state.withLock { state -> Present in
      let handsOn = state.links[link]?.handsOn ?? false
      guard !state.open.isEmpty else { return (false, handsOn, nil) }
      let isOnly = !state.hasChanged && state.open == [link]
      let dropped = state.handedOn
      state.handedOn = isOnly && handsOn ? change.compactMap(retyped) : nil
      state.hasChanged = true
      return (true, handsOn, dropped)
    }
    // The links follow also then: one that is changed by hand may no longer be on the path.
    let (value, handsOn) = evaluate(root, link)
    if isLater { return endIfOff(root, value) }
    let old = takeOld(of: link)
    if handedOn, handsOn, change.kind != .setting {
      return observation.deliver(root, demanded(change.compactMap(retyped)))
    }
    observation.deliver(root, demanded(Change(old: old, new: value)))
  }

  /// Tells of a change by hand whose property is no longer on the path: its end will not be seen.
  private func endIfOff(_ root: AnyObject, _ value: Value) {
    let olds = state.withLock { state -> [Old]? in
      guard state.open.isEmpty, state.hasChanged else { return nil }
      defer { (state.hasChanged, state.olds) = (false, []) }
      return state.olds
    }
    guard let olds else { return }
    observation.deliver(root, demanded(Change(old: olds.first?.value, new: value)))
  }

  /// Members of a property's collection as the path's value.
  private func retyped(_ members: Any) -> Value? {
    Value.self == AnyValue.self ? AnyValue(members) as? Value : members as? Value
  }

  private func demanded(_ change: Change<Value>) -> Change<Value> {
    var change = change
    if !observation.demands.contains(.old) { change.old = nil }
    if !observation.demands.contains(.new) { change.new = nil }
    return change
  }

  /// The value before the change of a link; those of changes within, whose end was not seen, go.
  private func takeOld(of link: ObjectIdentifier) -> Value? {
    let olds = state.withLock { state -> ArraySlice<Old> in
      guard let index = state.olds.lastIndex(where: { $0.link == link }) else { return [] }
      defer { state.olds.removeSubrange(index...) }
      return state.olds[index...]
    }
    return olds.first?.value
  }

  override func linkFollows() {
    if let root { _ = evaluate(root) }
  }

  // MARK: Changes by hand

  override func linkOpens(_ link: ObjectIdentifier) {
    _ = state.withLock { $0.open.insert(link) }
  }

  override func linkCloses(_ link: ObjectIdentifier) {
    typealias End = (isLast: Bool, change: Change<Value>?, olds: [Old])
    let (isLast, change, olds) = state.withLock { state -> End in
      guard state.open.remove(link) != nil, state.open.isEmpty, state.hasChanged
      else { return (false, nil, []) }
      defer { (state.hasChanged, state.handedOn, state.olds) = (false, nil, []) }
      return (true, state.handedOn, state.olds)
    }
    guard isLast, let root, !observation.isRemoved else { return }
    let (value, handsOn) = evaluate(root, link)
    if let change, handsOn, change.kind != .setting {
      return observation.deliver(root, demanded(change))
    }
    observation.deliver(root, demanded(Change(old: olds.first?.value, new: value)))
  }

  // MARK: Links

  /// Evaluates the path, and lets the links follow what it reads.
  ///
  /// - Returns: The value, and whether it is that of a link's collection itself.
  private func evaluate(
    _ root: AnyObject, _ link: ObjectIdentifier? = nil
  ) -> (value: Value, handsOn: Bool) {
    if !isOfCollection, let trace = presentTrace,
      let value = Recording.run(expecting: trace, { read(root, $0) })
    {
      return (value, false)
    }
    let number = state.withLock { state in
      state.evaluations += 1
      return state.evaluations
    }
    let (value, recording) = Recording.run { read(root, $0) }
    var accesses = recording.accesses
    if isOfCollection { for index in accesses.indices { accesses[index].readStorage() } }
    let collection = isOfCollection ? withoutOptionals(value) as? any ObservableCollection : nil
    let storage = collection?.storage
    func handsOn(_ access: Recording.Access) -> Bool {
      storage != nil && access.storage == storage
    }
    var added: [(list: ObserverList, observation: KeyValueObservation)] = []
    let (dropped, olds) = state.withLock { state -> ([KeyValueObservation], [Old]) in
      let olds = state.olds
      // On another thread a later evaluation may have come first; a removed path has no links.
      guard !state.isRemoved, number > state.evaluation else { return ([], olds) }
      state.evaluation = number
      var links: [ObjectIdentifier: Link] = [:]
      for access in accesses {
        let identity = ObjectIdentifier(access.list)
        if let link = state.links[identity], !link.observation.isRemoved {
          links[identity] = Link(observation: link.observation, handsOn: handsOn(access))
        } else {
          let observation = access.makeLink(self, linkOptions(access))
          links[identity] = Link(observation: observation, handsOn: handsOn(access))
          added.append((access.list, observation))
        }
      }
      let dropped = state.links.filter { links[$0]?.observation !== $1.observation }
      for identity in dropped.keys {
        // What was before a change by hand is still told.
        guard state.open.remove(identity) == nil else { continue }
        state.olds.removeAll { $0.link == identity && $0.link != link }
      }
      (state.links, state.trace) = (links, recording.trace)
      return (dropped.values.map(\.observation), olds)
    }
    withExtendedLifetime(olds) {}
    for (list, observation) in added where !list.add(observation) { observation.remove() }
    for observation in dropped { observation.remove() }
    // Who removed the path meanwhile did not see the new links' lists.
    if state.withLock({ $0.isRemoved }) { for (_, observation) in added { observation.remove() } }
    let access = link.flatMap { link in accesses.first { ObjectIdentifier($0.list) == link } }
    return (value, access.map(handsOn) ?? false)
  }

  /// What the links follow, if all of them are in place.
  private var presentTrace: [ObjectIdentifier]? {
    state.withLock { state in
      state.links.values.allSatisfy { !$0.observation.isRemoved } ? state.trace : nil
    }
  }

  private func linkOptions(_ access: Recording.Access) -> ObservingOptions {
    var options: ObservingOptions = .link
    if !observation.demands.isDisjoint(with: [.old, .prior]) { options.insert(.prior) }
    // The members of an insertion, removal or replacement come from the property.
    if isOfCollection, access.storage != nil {
      options.formUnion(observation.demands.intersection([.old, .new]))
    }
    return options
  }
}
