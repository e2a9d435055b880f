public import CKeyValueObserving.Observing

/// Tracks which observable properties a thread reads while it evaluates a path.
///
/// Key paths cannot be taken apart, but their getters can be watched: what they read is what their
/// value depends on, through links, optionals and computed properties.
@usableFromInline
final class DependencyTracker {
  /// A property that was read.
  struct Access {
    let list: ObserverList
    let owner: ObjectIdentifier
    let key: AnyKeyPath
    /// The word that is the value of a collection.
    private(set) var storage: UInt?
    /// Reads a collection whose getter only said that it is read.
    let readByHand: (() -> (any ObservableCollection)?)?

    /// Finds the word of a collection that was not given with its access; no getter may be under way.
    mutating func readStorage() {
      guard let readByHand else { return }
      DependencyTracker.suspended { storage = readByHand()?.storage }
    }
  }

  /// A property by one of its names: entries of dependent keys may be of each.
  private struct Name: Hashable {
    let list: ObjectIdentifier
    let root: ObjectIdentifier
  }

  /// What was read, in order, each property once.
  private(set) var accesses: [Access] = []

  /// The lists of what was read, in order, each as often as it was read; nil if more than reading
  /// says what the value depends on.
  private(set) var trace: [ObjectIdentifier]? = []

  // What is expected to be read, and how much of it was.
  private let expected: [ObjectIdentifier]?
  private var position = 0
  private var isAsExpected = true

  private var lists: Set<ObjectIdentifier> = []
  private var visited: Set<Name> = []

  /// The calling thread's tracker.
  @inlinable static var current: DependencyTracker? {
    guard let tracker = unsafe cbr_observing_here().pointee.tracker else { return nil }
    // SAFETY: `run` keeps it.
    return unsafe Unmanaged<DependencyTracker>.fromOpaque(tracker).takeUnretainedValue()
  }

  private init(expected: [ObjectIdentifier]? = nil) { self.expected = expected }

  /// Calls a closure, and notes what it reads on this thread.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What the closure returns, and what it read.
  static func run<Result>(
    _ body: (DependencyTracker) -> Result
  ) -> (result: Result, tracker: DependencyTracker) {
    let tracker = DependencyTracker()
    return (tracker.run(body), tracker)
  }

  /// Calls a closure, and compares what it reads on this thread with what it read before.
  ///
  /// - Parameters:
  ///   - trace: The trace of before.
  ///   - body: The closure.
  /// - Returns: What the closure returns; nil if it read something else.
  static func run<Result>(
    expecting trace: [ObjectIdentifier], _ body: (DependencyTracker) -> Result
  ) -> Result? {
    let tracker = DependencyTracker(expected: trace)
    let result = tracker.run(body)
    return tracker.isAsExpected && tracker.position == trace.count ? result : nil
  }

  private func run<Result>(_ body: (DependencyTracker) -> Result) -> Result {
    let here = unsafe cbr_observing_here()
    let outer = unsafe here.pointee.tracker
    unsafe here.pointee.tracker = Unmanaged.passUnretained(self).toOpaque()
    cbr_observing_begin_mode()
    defer {
      cbr_observing_end_mode()
      unsafe here.pointee.tracker = outer
    }
    return body(self)
  }

  /// Whether the property that is read is the next one that is expected.
  @usableFromInline
  func expects(_ list: ObserverList) -> Bool {
    guard let expected, position < expected.count, expected[position] == ObjectIdentifier(list)
    else { return false }
    position += 1
    return true
  }

  /// Calls a closure whose reads are nobody's business.
  static func suspended<Result>(_ body: () -> Result) -> Result {
    let here = unsafe cbr_observing_here()
    let outer = unsafe here.pointee.tracker
    unsafe here.pointee.tracker = nil
    defer { unsafe here.pointee.tracker = outer }
    return body()
  }

  /// Notes that a property is read, and what its class says it depends on.
  @usableFromInline
  func note<Value>(
    _ list: ObserverList, _ owner: AnyObject, _ key: AnyKeyPath, as type: Value.Type = Value.self,
    _ value: Value?
  ) {
    note(list, owner, key, as: type, value, readByHand: nil)
  }

  private func note<Value>(
    _ list: ObserverList, _ owner: AnyObject, _ key: AnyKeyPath, as type: Value.Type,
    _ value: Value?, readByHand: (() -> (any ObservableCollection)?)?
  ) {
    if expected != nil {
      if !expects(list) { isAsExpected = false }
      return
    }
    trace?.append(ObjectIdentifier(list))
    add(list, owner, key, as: type, value, readByHand)
    noteDependencies(of: key, list, owner)
  }

  private func add<Value>(
    _ list: ObserverList, _ owner: AnyObject, _ key: AnyKeyPath, as type: Value.Type,
    _ value: Value?, _ readByHand: (() -> (any ObservableCollection)?)? = nil
  ) {
    if lists.insert(ObjectIdentifier(list)).inserted {
      let access = Access(
        list: list, owner: ObjectIdentifier(owner), key: key,
        storage: (value as? any ObservableCollection)?.storage, readByHand: readByHand)
      accesses.append(access)
    }
  }

  /// Notes that a property without the attribute is read.
  @usableFromInline
  func noteByHand<Owner: KeyValueObservable, Value>(
    _ owner: Owner, _ key: KeyPath<Owner, Value>, _ value: Value? = nil
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

  /// Notes the key path itself that is observed, which its class may change by hand, and what it is
  /// said to depend on.
  func noteDeclared<Owner: KeyValueObservable, Value>(
    _ key: KeyPath<Owner, Value>, _ owner: Owner, _ value: Value
  ) {
    guard expected == nil else { return }
    let list = ObserverRegistry.list(for: key, of: owner)
    add(list, owner, key, as: Value.self, value)
    noteDependencies(of: key, list, owner)
  }

  /// Notes what a class says that a key depends on; each key once, so that circles end.
  private func noteDependencies(
    of key: AnyKeyPath, _ list: ObserverList, _ owner: AnyObject
  ) {
    let root = ObjectIdentifier(type(of: key).rootType)
    guard let observable = owner as? any KeyValueObservable,
      visited.insert(Name(list: ObjectIdentifier(list), root: root)).inserted
    else { return }
    // Its arguments may be hashed and compared.
    let others = Self.suspended { DependentKeys.all(of: type(of: observable))[key] }
    if !others.isEmpty { trace = nil }
    for other in others { read(other, of: observable) }
  }

  /// Reads a property of a key path that is not known before, and notes it.
  ///
  /// - Returns: The value; nil if the key path begins at another class.
  @discardableResult
  func read(_ key: AnyKeyPath, of owner: any KeyValueObservable) -> Any? {
    // What has the attribute notes itself; by hand it may be changed all the same.
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
