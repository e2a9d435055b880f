/// The links of a path, and the state of changes of the properties on it; guarded by the path's
/// lock.
struct PathState {
  /// A property on the path, and the path's link to it.
  final class LinkedProperty: Sendable {
    let link: KeyValueObservation
    /// The identity of the property's list of observers.
    let identity: ObjectIdentifier
    /// Whether the path's value is the property's collection itself, so that changes of its members
    /// are passed on.
    let handsOn: Bool
    /// The property's list of observers.
    weak let list: ObserverList?

    init(_ link: KeyValueObservation, to list: ObserverList, handsOn: Bool) {
      self.link = link
      identity = ObjectIdentifier(list)
      self.handsOn = handsOn
      self.list = list
    }
  }

  /// Overlapping manual changes on the path, from the beginning of the first to the end of the
  /// last.
  struct ManualChanges {
    /// The properties whose changes are in progress.
    var open: Set<ObjectIdentifier>
    /// The path's values before the first change.
    let start: PathStart
    /// Whether a property has changed.
    var hasChanged = false
  }

  /// The properties on the path, each once, in the order in which they are read first.
  var linked: [LinkedProperty] = []
  var isRemoved = false
  var manualChanges: ManualChanges?
  /// The state before changes of which the next notification will notify too.
  var held: PathStart?

  /// Whether there are changes of which the next notification will notify too.
  var isHolding = false
  /// The number of the evaluation from whose reads the links were made.
  var evaluation: UInt64 = 0
  /// The repetition of that evaluation; nil if the value has declared dependencies.
  var repetition: PathRepetition?
  /// Whether an evaluation has read properties of another system.
  ///
  /// No evaluation is repeated afterwards: each repetition with such a read would leave a note with
  /// the system.
  var readsForeign = false
  var evaluations: UInt64 = 0

  /// The repetition of the evaluation from which the links were made, if no link has been removed.
  var presentRepetition: PathRepetition? {
    for property in linked where property.link.isRemoved { return nil }
    return repetition
  }

  /// The repetition if nothing but a single change has to be considered: neither manual changes,
  /// nor a held state.
  var plainRepetition: PathRepetition? {
    manualChanges == nil && held == nil ? presentRepetition : nil
  }

  /// Whether changes of the members of a property's collection are passed on.
  func handsOn(_ property: ObjectIdentifier) -> Bool {
    linked.first { $0.identity == property }?.handsOn ?? false
  }

  /// Ends the manual changes if none is open any more.
  ///
  /// - Returns: The state before the first of them.
  mutating func endManualChanges() -> PathStart? {
    guard let ended = manualChanges, ended.open.isEmpty else { return nil }
    manualChanges = nil
    return ended.start
  }

  /// The links to the properties that an evaluation has read: those that exist, and new ones.
  ///
  /// - Parameters:
  ///   - dependencies: The properties, each once.
  ///   - storage: The storage of the path's value, if that is a collection.
  ///   - makeLink: Makes a link to a property that has none.
  /// - Returns: The links, and those that are not needed any more.
  mutating func link(
    _ dependencies: [DependencyTracker.Dependency], _ storage: UInt?,
    _ makeLink: (DependencyTracker.Dependency) -> KeyValueObservation
  ) -> (linked: [LinkedProperty], dropped: [LinkedProperty]) {
    var dropped: [ObjectIdentifier: LinkedProperty] = [:]
    for property in linked { dropped[property.identity] = property }
    let linked = dependencies.map { dependency in
      let identity = ObjectIdentifier(dependency.list)
      let handsOn = dependency.isCollection(at: storage)
      guard let present = dropped[identity], !present.link.isRemoved else {
        return LinkedProperty(makeLink(dependency), to: dependency.list, handsOn: handsOn)
      }
      dropped[identity] = nil
      return present.handsOn == handsOn
        ? present : LinkedProperty(present.link, to: dependency.list, handsOn: handsOn)
    }
    // The ends of manual changes of these properties are not noticed any more.
    manualChanges?.open.subtract(dropped.keys)
    return (linked, Array(dropped.values))
  }
}
