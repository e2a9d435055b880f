internal import BlockRuntimeThreads

// SAFETY: `@unchecked Sendable`: the stored property is immutable; a class that is not final cannot
// be checked.
/// The interface of a path for the properties on it, whatever the type of its value.
class AnyPathObserver: @unchecked Sendable {
  /// The number of the path's observation.
  final let number: UInt64

  init(number: UInt64) { self.number = number }

  /// Notifies the path that a property on it is about to change.
  ///
  /// - Returns: The state that is needed after the change, and what delivers the prior call to the
  ///   path's observation, if that asks for one.
  func willChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ isManual: Bool
  ) -> (start: PathStart, deliver: (() -> Void)?) { (PathStart(self), nil) }

  /// Notifies the path that a property on it has changed.
  ///
  /// - Returns: The delivery of the change to the path's observation; nil if it gets none.
  func didChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ start: PathStart?, _ isManual: Bool
  ) -> (() -> Void)? { nil }

  /// Evaluates the path again after a change that is not delivered to its observation.
  func follow() {}

  /// Whether a property on the path is being changed in place, so that the path cannot be
  /// evaluated.
  var leadsThroughInPlaceChange: Bool { false }

  /// Stores the state before a change of which the next notification will notify too.
  func hold(_ start: PathStart?) {}
}

// SAFETY: `@unchecked Sendable`: a lock guards the links and states; `read`, which need not be
// Sendable, is called only on threads that may read the root object: those that observe it or
// change its properties. All else is immutable.
/// Observes the value of a path through the properties that its evaluation reads.
///
/// The path adds an observer to each of these properties: a link. When a property changes, the path
/// is evaluated again, and the links are replaced by those of the properties that were read: before
/// any observer of that property is called, so that each change has the values that it made. The
/// links retain the path, and the path its observation.
final class PathObserver<Value>: AnyPathObserver, @unchecked Sendable {
  private weak let root: AnyObject?
  private let observation: KeyValueObservation
  private let read: (AnyObject, DependencyTracker?) -> Value
  private let isOfCollection: Bool
  private let state = Locked(State())

  /// A property on the path, and the path's link to it.
  private struct LinkedProperty {
    let link: KeyValueObservation
    /// Whether the path's value is the property's collection itself, so that changes of its members
    /// are passed on.
    var handsOn: Bool
    /// The property's list of observers.
    weak var list: ObserverList?
  }

  private final class Start: PathStart {
    /// The path's value, if its observer asks for it.
    let old: Value?

    init(_ path: AnyPathObserver, _ old: Value?) {
      self.old = old
      super.init(path)
    }
  }

  /// Overlapping manual changes on the path, from the beginning of the first to the end of the
  /// last.
  private struct ManualChanges {
    /// The properties whose changes are in progress.
    var open: Set<ObjectIdentifier> = []
    var old: Value?
    /// Whether a property has changed.
    var hasChanged = false
    /// The change of a collection's members to pass on, if it is the only change.
    var handedOn: Change<Value>?
  }

  private struct State {
    /// The properties on the path, by the identities of their lists of observers.
    var properties: [ObjectIdentifier: LinkedProperty] = [:]
    var isRemoved = false
    var manualChanges: ManualChanges?
    /// The state before changes of which the next notification will notify too.
    var held: PathStart?
    /// The number of the evaluation from whose reads the links were made.
    var evaluation: UInt64 = 0
    /// The trace of that evaluation; nil if the value has declared dependencies.
    var trace: [ObjectIdentifier]?
    var evaluations: UInt64 = 0
  }

  /// Creates an observer without links.
  ///
  /// - Parameters:
  ///   - root: The object where the path begins; not retained.
  ///   - observation: The observation to notify.
  ///   - read: Evaluates the path, and notes dependencies that are not tracked by evaluating it.
  init(
    root: AnyObject, observation: KeyValueObservation,
    read: @escaping (AnyObject, DependencyTracker?) -> Value
  ) {
    self.root = root
    self.observation = observation
    self.read = read
    let type = (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self
    isOfCollection = type is any ObservableCollection.Type || Value.self == AnyValue.self
    super.init(number: observation.number)
  }

  /// Evaluates the path, and makes links for the properties that it reads.
  override func follow() {
    if let root { _ = evaluate(root) }
  }

  override var leadsThroughInPlaceChange: Bool {
    // The lists are released after unlocking: one may be destroyed here.
    state.withLock { $0.properties.values.compactMap(\.list) }
      .contains(where: \.isChangedInPlace)
  }

  override func hold(_ start: PathStart?) {
    state.withLock { if $0.held == nil { $0.held = start } }
  }

  /// Removes the links.
  func stop() {
    let (links, manualChanges) = state.withLock { state in
      state.isRemoved = true
      defer { (state.properties, state.manualChanges) = ([:], nil) }
      return (state.properties.values.map(\.link), state.manualChanges)
    }
    for link in links { link.remove() }
    // Values are released while no lock is held: their deinits may be the user's code.
    withExtendedLifetime(manualChanges) {}
  }

  // MARK: Changes

  override func willChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ isManual: Bool
  ) -> (start: PathStart, deliver: (() -> Void)?) {
    let demands = observation.demands
    let isNested = state.withLock { state in
      defer { if isManual { state.manualChanges?.open.insert(property) } }
      return state.manualChanges != nil
    }
    // Overlapping manual changes are delivered once.
    guard !isNested, let root, !observation.isRemoved else { return (PathStart(self), nil) }
    let old = demands.contains(.old) ? DependencyTracker.suspended { read(root, nil) } : nil
    let (handsOn, dropped) = state.withLock { state in
      let dropped = state.manualChanges
      if isManual { state.manualChanges = ManualChanges(open: [property], old: old) }
      return (state.properties[property]?.handsOn ?? false, dropped)
    }
    withExtendedLifetime(dropped) {}
    let start = Start(self, old)
    guard demands.contains(.prior) else { return (start, nil) }
    var prior = Change(ChangeOutline(.setting), old: old, new: nil, isPrior: true)
    if handsOn, change.kind != .setting { prior = change.compactMap(retyped) }
    return (start, delivery(root, prior))
  }

  override func didChange<Other>(
    _ property: ObjectIdentifier, _ change: Change<Other>, _ start: PathStart?, _ isManual: Bool
  ) -> (() -> Void)? {
    guard let root, !observation.isRemoved else { return nil }
    let (held, isHandingOn) = state.withLock { state in
      defer { state.held = nil }
      return (state.held, state.properties[property]?.handsOn ?? false)
    }
    let start = held ?? start
    let handedOn = isHandingOn && change.kind != .setting ? change.compactMap(retyped) : nil
    typealias Present = (isWithin: Bool, dropped: Change<Value>?)
    let (isWithin, dropped) = state.withLock { state -> Present in
      guard let manualChanges = state.manualChanges else { return (false, nil) }
      let isOnly = !manualChanges.hasChanged && manualChanges.open == [property]
      state.manualChanges?.handedOn = isOnly ? handedOn : nil
      state.manualChanges?.hasChanged = true
      if isManual { state.manualChanges?.open.remove(property) }
      return (true, manualChanges.handedOn)
    }
    withExtendedLifetime(dropped) {}
    // Links are updated also during manual changes: the changed property may have left the path.
    let (value, handsOn) = evaluate(root, property)
    guard isWithin else {
      if handsOn, let handedOn { return delivery(root, handedOn) }
      return delivery(root, setting((start as? Start)?.old, value))
    }
    let ended = state.withLock { state -> ManualChanges? in
      guard let manualChanges = state.manualChanges, manualChanges.open.isEmpty else { return nil }
      state.manualChanges = nil
      return manualChanges
    }
    guard let ended else { return nil }
    if handsOn, let handedOn = ended.handedOn { return delivery(root, handedOn) }
    return delivery(root, setting(ended.old, value))
  }

  private func setting(_ old: Value?, _ new: Value) -> Change<Value> {
    Change(ChangeOutline(.setting), old: old, new: new)
  }

  /// The delivery of a change to the observation, with the values that it asks for.
  private func delivery(_ root: AnyObject, _ change: Change<Value>) -> () -> Void {
    // Drops other values: a retained one would be copied when another observer changes it.
    let change = change.demanded(by: observation.demands)
    return { [observation] in observation.deliver(root, change) }
  }

  /// Converts members of a property's collection to the path's value type.
  private func retyped(_ members: Any) -> Value? {
    Value.self == AnyValue.self ? AnyValue(members) as? Value : members as? Value
  }

  // MARK: Links

  /// Evaluates the path, and makes its links those of the properties that it reads.
  ///
  /// - Returns: The value, and whether it is the collection of the given property itself.
  private func evaluate(
    _ root: AnyObject, _ property: ObjectIdentifier? = nil
  ) -> (value: Value, handsOn: Bool) {
    if !isOfCollection, let trace = presentTrace,
      let value = DependencyTracker.run(expecting: trace, { read(root, $0) })
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
    func handsOn(_ dependency: DependencyTracker.Dependency) -> Bool {
      storage != nil && dependency.storage == storage
    }
    var added: [(list: ObserverList, link: KeyValueObservation)] = []
    let dropped = state.withLock { state -> [KeyValueObservation] in
      // A later evaluation, on another thread, may have come first; a removed path has no links.
      guard !state.isRemoved, number > state.evaluation else { return [] }
      state.evaluation = number
      var properties: [ObjectIdentifier: LinkedProperty] = [:]
      for dependency in dependencies {
        let identity = ObjectIdentifier(dependency.list)
        let link: KeyValueObservation
        if let present = state.properties[identity]?.link, !present.isRemoved {
          link = present
        } else {
          link = KeyValueObservation(linkOf: self, linkOptions(dependency))
          added.append((dependency.list, link))
        }
        properties[identity] = LinkedProperty(
          link: link, handsOn: handsOn(dependency), list: dependency.list)
      }
      let dropped = state.properties.filter { properties[$0]?.link !== $1.link }
      // The ends of manual changes of these properties are not noticed any more.
      state.manualChanges?.open.subtract(dropped.keys)
      (state.properties, state.trace) = (properties, tracker.trace)
      return dropped.values.map(\.link)
    }
    for (list, link) in added where !list.add(link) { link.remove() }
    for link in dropped { link.remove() }
    // If the path was removed in the meantime, the new links were not yet in their lists.
    if state.withLock({ $0.isRemoved }) { for (_, link) in added { link.remove() } }
    let changed = dependencies.first { ObjectIdentifier($0.list) == property }
    return (value, changed.map(handsOn) ?? false)
  }

  /// The trace from which the links were made, if no link has been removed.
  private var presentTrace: [ObjectIdentifier]? {
    state.withLock { state in
      state.properties.values.allSatisfy { !$0.link.isRemoved } ? state.trace : nil
    }
  }

  private func linkOptions(_ dependency: DependencyTracker.Dependency) -> ObservingOptions {
    var options: ObservingOptions = .link
    if !observation.demands.isDisjoint(with: [.old, .prior]) { options.insert(.prior) }
    // The members of an insertion, removal or replacement come from the property.
    if isOfCollection, dependency.storage != nil {
      options.formUnion(observation.demands.intersection([.old, .new]))
    }
    return options
  }
}
