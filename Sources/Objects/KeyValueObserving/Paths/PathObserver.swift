internal import BlockRuntimeThreads

// SAFETY: `@unchecked Sendable`: a lock guards the links and states; `read`, which need not be
// Sendable, is called only on threads that may read the root object: those that observe it or
// change its properties. All else is immutable.
/// Observes the value of a path through the properties that its evaluation reads.
///
/// The path adds an observer to each of these properties: a link. When a property changes, the path
/// is evaluated again, and the links are replaced by links to the properties that were read. This
/// happens before any observer of the changed property is called, so that each change has the
/// values that it made. The links retain the path, and the path its observation.
final class PathObserver<Value>: AnyPathObserver, @unchecked Sendable {
  private weak let root: AnyObject?
  private let observation: KeyValueObservation
  private let read: (AnyObject, DependencyTracker?) -> Value
  private let isOfCollection: Bool
  private let plainDelivery: PlainPathDelivery?

  /// The changes that are passed on; nil if the observer runs its handler here.
  private let passedOn: PassedOnChanges?

  // Its types are not generic: in code that is not specialised for `Value`, each generic type made
  // of it is looked up at run time.
  private let state = Locked(PathState())

  /// The values before a change, or before overlapping manual changes.
  private final class Start: PathStart {
    /// The path's value, if its observer asks for it.
    let old: Value?

    /// The pair of the prior call and the call for the change, if the observer asks for both.
    let pair: ChangePair?

    /// The change of a collection's members to pass on, if it is the only one of the manual
    /// changes; guarded by the path's lock.
    var handedOn: Change<Value>?

    init(_ path: AnyPathObserver, _ old: Value?, _ pair: ChangePair?) {
      self.old = old
      self.pair = pair
      super.init(path)
    }
  }

  /// Creates an observer without links.
  ///
  /// - Parameters:
  ///   - root: The object where the path begins; not retained.
  ///   - observation: The observation to notify.
  ///   - plainDelivery: Makes the deliveries of changes that need the new value only.
  ///   - read: Evaluates the path, and notes dependencies that are not tracked by evaluating it.
  init(
    root: AnyObject, observation: KeyValueObservation, _ plainDelivery: PlainPathDelivery?,
    read: @escaping (AnyObject, DependencyTracker?) -> Value
  ) {
    self.root = root
    self.observation = observation
    // A plain delivery has only the new value.
    self.plainDelivery = observation.demands.contains(.origin) ? nil : plainDelivery
    self.read = read
    passedOn = observation.demands.contains(.elsewhere) ? PassedOnChanges() : nil
    let type = (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self
    isOfCollection = type is any ObservableCollection.Type || Value.self == AnyValue.self
    super.init(number: observation.number)
  }

  /// Evaluates the path, and makes links for the properties that it reads.
  override func follow() {
    _ = root.map { evaluate($0) }
    // The path may have left the properties whose manual changes were in progress.
    let left = state.withLock { $0.endManualChanges() }
    withExtendedLifetime(left) {}
  }

  override var isHolding: Bool { state.withLock { $0.isHolding } }

  override var leadsThroughInPlaceChange: Bool {
    // The lists are released after unlocking: one may be destroyed here.
    state.withLock { $0.linked.compactMap(\.list) }.contains(where: \.isChangedInPlace)
  }

  override func hold(_ start: PathStart?) {
    state.withLock { state in
      guard !state.isRemoved else { return }
      state.isHolding = true
      if state.held == nil { state.held = start }
    }
  }

  /// Removes the links.
  func stop() {
    let (links, manualChanges, held) = state.withLock { state in
      state.isRemoved = true
      // The states that were noted before a change retain this object.
      defer { (state.linked, state.manualChanges, state.held) = ([], nil, nil) }
      return (state.linked, state.manualChanges, state.held)
    }
    for property in links { property.link.remove() }
    // Values are released while no lock is held: their deinits may be the user's code.
    withExtendedLifetime((manualChanges, held)) {}
  }

  // MARK: Changes

  override func willChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ isManual: Bool, _ isDelivered: Bool
  ) -> (start: PathStart, deliver: (() -> Void)?) {
    let demands = observation.demands
    let isNested = state.withLock { state in
      defer { if isManual { state.manualChanges?.open.insert(property) } }
      return state.manualChanges != nil
    }
    // Overlapping manual changes are delivered once.
    guard !isNested, let root, !observation.isRemoved else { return (PathStart(self), nil) }
    let old = demands.contains(.old) ? DependencyTracker.suspended { read(root, nil) } : nil
    let pair = isDelivered && demands.contains(.prior) ? ChangePair() : nil
    let start = Start(self, old, pair)
    let (handsOn, dropped) = state.withLock { state in
      let dropped = state.manualChanges
      if isManual, !state.isRemoved {
        state.manualChanges = PathState.ManualChanges(open: [property], start: start)
      }
      return (state.handsOn(property), dropped)
    }
    withExtendedLifetime(dropped) {}
    guard pair != nil else { return (start, nil) }
    var prior = Change(ChangeOutline(.setting), old: old, new: nil, isPrior: true)
    if handsOn, change.kind != .setting { prior = change.compactMap(retyped) }
    prior.add(pair, change.origin)
    return (start, delivery(root, prior))
  }

  override func deliveryOfPlainChange(isAlone: Bool) -> (() -> Void)? {
    guard let plainDelivery, !isOfCollection, let root, !observation.isRemoved,
      let repetition = state.withLock({ $0.plainRepetition })
    else { return nil }
    if let deliver = plainDelivery.make(root, observation, repetition, isAlone) { return deliver }
    // The reads are others now: `didChange` need not compare them again.
    state.withLock { $0.repetition = nil }
    return nil
  }

  override func didChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ start: PathStart?, _ isManual: Bool
  ) -> (() -> Void)? {
    guard let root, !observation.isRemoved else { return nil }
    let number = passedOn?.beginChange()
    let (held, isHandingOn) = state.withLock { state in
      defer { (state.held, state.isHolding) = (nil, false) }
      return (state.held, state.handsOn(property))
    }
    let start = held ?? start
    let handedOn = isHandingOn && change.kind != .setting ? change.compactMap(retyped) : nil
    let (isWithin, dropped) = state.withLock { state -> (Bool, Change<Value>?) in
      guard let manualChanges = state.manualChanges else { return (false, nil) }
      let isOnly = !manualChanges.hasChanged && manualChanges.open == [property]
      let start = manualChanges.start as? Start
      let dropped = start?.handedOn
      start?.handedOn = isOnly ? handedOn : nil
      state.manualChanges?.hasChanged = true
      if isManual { state.manualChanges?.open.remove(property) }
      return (true, dropped)
    }
    withExtendedLifetime(dropped) {}
    // Links are updated also during manual changes: the changed property may have left the path.
    let (value, handsOn) = evaluate(root, property)
    var (before, passed) = (start, handedOn)
    if isWithin {
      guard let ended = state.withLock({ $0.endManualChanges() }) else { return nil }
      (before, passed) = (ended, (ended as? Start)?.handedOn)
    }
    let began = before as? Start
    guard handsOn, var passed else {
      var setting = Change(ChangeOutline(.setting), old: began?.old, new: value)
      setting.add(began?.pair, change.origin)
      return delivery(root, setting, number)
    }
    if let began { observation.note(began.old, of: root, before: passed.kind) }
    passed.add(began?.pair, change.origin)
    return delivery(root, passed, number)
  }

  /// The delivery of a change, or, without a number, of a prior call, with the values that are
  /// asked for.
  private func delivery(
    _ root: AnyObject, _ change: Change<Value>, _ number: UInt64? = nil
  ) -> () -> Void {
    // Other values are dropped: a retained one would be copied when another observer changes it.
    let change = change.demanded(by: observation.demands)
    let deliver = { [observation] in observation.deliver(root, change) }
    guard let passedOn else { return deliver }
    return { passedOn.passOn(deliver, number) }
  }

  /// Converts members of a property's collection to the path's value type.
  private func retyped(_ members: Any) -> Value? {
    Value.self == AnyValue.self ? AnyValue(members) as? Value : members as? Value
  }

  // MARK: Links

  /// Evaluates the path, and makes its links those of the properties that it reads.
  ///
  /// Other threads may change another system's properties after they were read, and before they are
  /// observed. So a path that reads any is evaluated once more for each level: while the properties
  /// of the first levels are observed, an evaluation comes to those of the next level, which are
  /// observed then.
  ///
  /// - Returns: The value, and whether it is the collection of the given property itself.
  private func evaluate(
    _ root: AnyObject, _ property: ObjectIdentifier? = nil, observedLevels: Int = 0
  ) -> (value: Value, handsOn: Bool) {
    if !isOfCollection, let repetition = state.withLock({ $0.presentRepetition }),
      let value = DependencyTracker.run(expecting: repetition.trace, { read(root, $0) })
    {
      return (value, false)
    }
    let number = state.withLock { state in
      state.evaluations += 1
      return state.evaluations
    }
    let (value, tracker) = DependencyTracker.run { read(root, $0) }
    var dependencies = tracker.dependencies
    if isOfCollection { for index in dependencies.indices { dependencies[index].readStorage() } }
    let collection = isOfCollection ? withoutOptionals(value) as? any ObservableCollection : nil
    let storage = collection?.storage
    let keyPath = plainDelivery == nil ? nil : observation.keyPaths.first
    let repetition = PathRepetition(of: tracker, along: keyPath)
    var added: [(list: ObserverList, link: KeyValueObservation)] = []
    let dropped = state.withLock { state -> [PathState.LinkedProperty] in
      // A later evaluation, on another thread, may have come first; a removed path has no links.
      guard !state.isRemoved, number > state.evaluation else { return [] }
      state.evaluation = number
      let (linked, dropped) = state.link(dependencies, storage) { dependency in
        let link = KeyValueObservation(linkOf: self, linkOptions(dependency))
        added.append((dependency.list, link))
        return link
      }
      if tracker.foreign != nil { state.readsForeign = true }
      (state.linked, state.repetition) = (linked, state.readsForeign ? nil : repetition)
      return dropped
    }
    if let foreign = tracker.foreign {
      if let (_, link) = added.first(where: { $0.list === foreign.list }) {
        link.attach { _ in foreign.end() }
        foreign.beginNotifying(self)
      } else {
        foreign.end()
      }
    }
    for (list, link) in added where !list.add(link) { link.remove() }
    for property in dropped { property.link.remove() }
    // If the path was removed in the meantime, the new links were not yet in their lists.
    if state.withLock({ $0.isRemoved }) { for (_, link) in added { link.remove() } }
    if tracker.foreign != nil, observedLevels < levels {
      return evaluate(root, property, observedLevels: observedLevels + 1)
    }
    let changed = dependencies.first { ObjectIdentifier($0.list) == property }
    return (value, changed?.isCollection(at: storage) ?? false)
  }

  /// At least the number of properties that lead from one to the next; a computed property may have
  /// several.
  private var levels: Int {
    if let path = observation.stringKeyPath {
      return path.utf8.count { $0 == UInt8(ascii: ".") } + 1
    }
    guard let keyPath = observation.keyPaths.first else { return 1 }
    return withExtendedLifetime(keyPath) { max(1, KeyPathBuffer(keyPath).mostComputedProperties) }
  }

  private func linkOptions(_ dependency: DependencyTracker.Dependency) -> ObservingOptions {
    var options = observation.demands.intersection([.inOrder, .elsewhere, .origin]).union(.link)
    if !observation.demands.isDisjoint(with: [.old, .prior]) { options.insert(.prior) }
    // The members of an insertion, removal or replacement come from the property.
    if isOfCollection, dependency.storage != nil {
      options.formUnion(observation.demands.intersection([.old, .new]))
    }
    return options
  }
}

extension PathObserver: ReferenceTable {
  package var contents: Any { state.withLock { $0 } }
}
