public import CKeyValueObserving.Observing

/// A record of the observable properties that a thread reads while it evaluates a path.
///
/// A key path cannot be decomposed, but its getters can be tracked: its value depends on the
/// properties that they read, through other objects, optionals and computed properties.
@usableFromInline
final class DependencyTracker {
  /// A property on which the value depends: one that was read, or a declared one.
  struct Dependency {
    let list: ObserverList
    let owner: ObjectIdentifier
    let key: AnyKeyPath
    /// The word of the value, if it is a collection: see `ObservableCollection.storage`.
    private(set) var storage: UInt?
    /// Reads the collection, if the getter only noted that it reads it, without the value.
    let readCollection: (() -> (any ObservableCollection)?)?

    /// Whether the value is the collection of a storage.
    func isCollection(at storage: UInt?) -> Bool { storage != nil && self.storage == storage }

    /// Sets `storage` of a collection whose value was not noted; called while no getter is in
    /// progress.
    mutating func readStorage() {
      guard let readCollection else { return }
      DependencyTracker.suspended { storage = readCollection()?.storage }
    }
  }

  /// A property and the class of a key path to it: dependent keys are looked up by key path.
  private struct Name: Hashable {
    let list: ObjectIdentifier
    let root: ObjectIdentifier
  }

  /// The dependencies, in the order in which they were noted, each once.
  private(set) var dependencies: [Dependency] = []

  /// The lists of all reads, in order, with repetitions; nil if the value may also depend on
  /// properties that were not read but declared, or that are another system's.
  private(set) var trace: [ObjectIdentifier]? = []

  /// What was read of another system's properties.
  private(set) var foreign: ForeignReads?

  // The expected trace, and the number of its reads that have been made since `begin()`.
  private let expected: [ObjectIdentifier]?
  private var position = 0
  private var isAsExpected = true

  /// The address of the thread's tracker before this one, which its call retains; 0 if there was
  /// none.
  private var outer: UInt = 0

  private var lists: Set<ObjectIdentifier> = []
  private var visited: Set<Name> = []

  /// The calling thread's tracker.
  @inlinable static var current: DependencyTracker? {
    guard let tracker = unsafe cbr_observing_here().pointee.tracker else { return nil }
    // SAFETY: `run` retains it until it has ended, on this thread.
    return unsafe Unmanaged<DependencyTracker>.fromOpaque(tracker).takeUnretainedValue()
  }

  /// Creates a tracker.
  ///
  /// - Parameter trace: The trace that the reads are compared with; nil notes them instead.
  init(expected trace: [ObjectIdentifier]? = nil) { expected = trace }

  /// Calls a closure, and tracks what it reads on this thread.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What the closure returns, and the tracker of what it read.
  static func run<Result>(
    _ body: (DependencyTracker) -> Result
  ) -> (result: Result, tracker: DependencyTracker) {
    let tracker = DependencyTracker()
    var result: Result?
    if let system = ForeignSystem.installed {
      let foreign = ForeignReads.of(system) { result = tracker.run(body) }
      if let foreign { tracker.note(foreign) }
    } else {
      result = tracker.run(body)
    }
    // SAFETY: the closure has been called exactly once.
    return unsafe (result.unsafelyUnwrapped, tracker)
  }

  private func note(_ reads: ForeignReads) {
    (foreign, trace) = (reads, nil)
    dependencies.append(reads.dependency)
  }

  /// Calls a closure, and compares what it reads on this thread with an earlier trace.
  ///
  /// - Parameters:
  ///   - trace: The earlier trace, of this library's properties only.
  ///   - body: The closure.
  /// - Returns: What the closure returns; nil if its reads differ from the trace.
  static func run<Result>(
    expecting trace: [ObjectIdentifier], _ body: (DependencyTracker) -> Result
  ) -> Result? {
    let tracker = DependencyTracker(expected: trace)
    func compared() -> Result? {
      tracker.begin()
      let result = body(tracker)
      return tracker.end() ? result : nil
    }
    guard let system = ForeignSystem.installed else { return compared() }
    return system.resultOfOwnReads(compared)
  }

  private func run<Result>(_ body: (DependencyTracker) -> Result) -> Result {
    begin()
    defer { stop() }
    return body(self)
  }

  /// Ends the comparison.
  ///
  /// - Returns: Whether the reads were those of the trace.
  func end() -> Bool {
    stop()
    return isAsExpected && position == expected?.count
  }

  /// Begins to track what this thread reads; `end()` must follow, on this thread.
  func begin() {
    (position, isAsExpected) = (0, true)
    let here = unsafe cbr_observing_here()
    unsafe outer = UInt(bitPattern: here.pointee.tracker)
    unsafe here.pointee.tracker = Unmanaged.passUnretained(self).toOpaque()
    cbr_observing_begin_mode()
  }

  private func stop() {
    cbr_observing_end_mode()
    unsafe cbr_observing_here().pointee.tracker = UnsafeMutableRawPointer(bitPattern: outer)
  }

  /// Whether a property that is read is the next one of the expected trace; if so, advances in it.
  fileprivate func expects(_ list: UInt) -> Bool {
    guard let expected, position < expected.count,
      UInt(bitPattern: expected[position]) == list
    else { return false }
    position += 1
    return true
  }

  /// Calls a closure whose reads are not tracked.
  static func suspended<Result>(_ body: () -> Result) -> Result {
    let here = unsafe cbr_observing_here()
    let outer = unsafe here.pointee.tracker
    unsafe here.pointee.tracker = nil
    defer { unsafe here.pointee.tracker = outer }
    return body()
  }

  /// Notes that a property is read, and its declared dependencies.
  @usableFromInline
  func note<Value>(
    _ list: ObserverList, _ owner: AnyObject, _ key: AnyKeyPath, as type: Value.Type = Value.self,
    _ value: Value?
  ) {
    note(list, owner, key, as: type, value, readCollection: nil)
  }

  private func note<Value>(
    _ list: ObserverList, _ owner: AnyObject, _ key: AnyKeyPath, as type: Value.Type,
    _ value: Value?, readCollection: (() -> (any ObservableCollection)?)?
  ) {
    if expected != nil {
      if !expects(UInt(bitPattern: ObjectIdentifier(list))) { isAsExpected = false }
      return
    }
    trace?.append(ObjectIdentifier(list))
    add(list, owner, key, as: type, value, readCollection)
    noteDeclaredDependencies(of: key, list, owner)
  }

  private func add<Value>(
    _ list: ObserverList, _ owner: AnyObject, _ key: AnyKeyPath, as type: Value.Type,
    _ value: Value?, _ readCollection: (() -> (any ObservableCollection)?)? = nil
  ) {
    if lists.insert(ObjectIdentifier(list)).inserted {
      let dependency = Dependency(
        list: list, owner: ObjectIdentifier(owner), key: key,
        storage: (value as? any ObservableCollection)?.storage, readCollection: readCollection)
      dependencies.append(dependency)
    }
  }

  /// Notes in the thread's tracker, or else in another system, that a property without the
  /// `@Observed` attribute is read.
  @usableFromInline
  static func noteManual<Owner: KeyValueObservable, Value>(
    _ owner: Owner, _ key: KeyPath<Owner, Value>, _ value: Value? = nil
  ) {
    if let current { return current.noteManual(owner, key, value) }
    guard let system = ForeignSystem.installed, system.takesPart(owner) else { return }
    ObserverRegistry.list(for: key, of: owner).noteForeignRead(Value.self)
  }

  private func noteManual<Owner: KeyValueObservable, Value>(
    _ owner: Owner, _ key: KeyPath<Owner, Value>, _ value: Value?
  ) {
    let list = ObserverRegistry.list(for: key, of: owner)
    let type = (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self
    guard value == nil, type is any ObservableCollection.Type else {
      return note(list, owner, key, as: Value.self, value)
    }
    note(list, owner, key, as: Value.self, nil) {
      withoutOptionals(owner[keyPath: key]) as? any ObservableCollection
    }
  }

  /// Notes the observed key path itself, which its class may change manually, and its declared
  /// dependencies.
  func noteDeclared<Owner: AnyObject, Value>(
    _ key: KeyPath<Owner, Value>, _ owner: Owner, _ value: Value
  ) {
    guard expected == nil else { return }
    let list = ObserverRegistry.list(for: key, of: owner)
    add(list, owner, key, as: Value.self, value)
    noteDeclaredDependencies(of: key, list, owner)
  }

  /// Notes the declared dependencies of a key path; each key path once, so that cycles end.
  private func noteDeclaredDependencies(
    of key: AnyKeyPath, _ list: ObserverList, _ owner: AnyObject
  ) {
    let root = ObjectIdentifier(type(of: key).rootType)
    guard let observable = owner as? any KeyValueObservable,
      visited.insert(Name(list: ObjectIdentifier(list), root: root)).inserted
    else { return }
    // The look-up may hash and compare arguments of key paths, which is the user's code.
    let others = Self.suspended { DependentKeys.all(of: type(of: observable))[key] }
    if !others.isEmpty { trace = nil }
    for other in others { read(other, of: observable) }
  }

  /// Reads a property by a key path whose type is not statically known, and notes it.
  ///
  /// - Returns: The value; nil if the key path begins at another class.
  @discardableResult
  func read(_ key: AnyKeyPath, of owner: any KeyValueObservable) -> Any? {
    // The getter of a property with the attribute notes it too; this also covers manual changes.
    guard let value = owner[keyPath: key] else { return nil }
    func note<Value>(_ type: Value.Type) {
      guard let value = value as? Value else { return }
      let list = ObserverRegistry.list(for: key, of: owner)
      self.note(list, owner, key, as: type, value)
    }
    _openExistential(type(of: key).valueType, do: note)
    return value
  }
}

/// Notes a read of a property in the thread's tracker, if that expects the read.
///
/// It is not a member of the class, whose metadata each getter would have to look up.
///
/// - Parameters:
///   - list: The address of the property's list; 0 if it has none.
///   - owner: The property's object.
/// - Returns: Whether the read must still be noted: not if the tracker expected it; nor if there is
///   no tracker, unless another system wants to note the read and has not done so.
@usableFromInline
func trackerNeedsNote(ofReading list: UInt, of owner: AnyObject) -> Bool {
  guard let tracker = unsafe cbr_observing_here().pointee.tracker else {
    return ForeignSystem.needsNote(ofReading: list, of: owner)
  }
  // SAFETY: as for `DependencyTracker.current`.
  return unsafe Unmanaged<DependencyTracker>.fromOpaque(tracker)._withUnsafeGuaranteedRef {
    !$0.expects(list)
  }
}
