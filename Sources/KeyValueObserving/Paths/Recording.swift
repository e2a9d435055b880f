public import CBlockRuntime.Observing

/// The observable properties that a thread reads while it evaluates a path.
///
/// Key paths cannot be taken apart, but their getters can be watched: what they read is what their
/// value depends on, through links, optionals and computed properties.
@usableFromInline
final class Recording {
  /// A property that was read.
  struct Access {
    let list: ObserverList
    let owner: ObjectIdentifier
    let key: AnyKeyPath
    /// The word that is the value of a collection.
    let storage: UInt?
    /// Makes a link of a path that observes the property.
    let makeLink: (AnyPathObserver, ObservingOptions) -> KeyValueObservation
  }

  private struct Key: Hashable {
    let owner: ObjectIdentifier
    let key: AnyKeyPath
  }

  private(set) var accesses: [Access] = []
  private var lists: Set<ObjectIdentifier> = []
  private var visited: Set<Key> = []

  /// What the calling thread records into.
  @inlinable static var current: Recording? {
    guard let recording = unsafe cbr_observing_here().pointee.recording else { return nil }
    // SAFETY: `run` keeps it.
    return unsafe Unmanaged<Recording>.fromOpaque(recording).takeUnretainedValue()
  }

  /// Calls a closure, and notes what it reads on this thread.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What the closure returns, and what it read, in order, each once.
  static func run<Result>(
    _ body: (Recording) -> Result
  ) -> (result: Result, accesses: [Access]) {
    let recording = Recording()
    let here = unsafe cbr_observing_here()
    let outer = unsafe here.pointee.recording
    unsafe here.pointee.recording = Unmanaged.passUnretained(recording).toOpaque()
    cbr_observing_begin_mode()
    let result = withExtendedLifetime(recording) { body(recording) }
    cbr_observing_end_mode()
    unsafe here.pointee.recording = outer
    return (result, recording.accesses)
  }

  /// Calls a closure whose reads are nobody's business.
  static func suspended<Result>(_ body: () -> Result) -> Result {
    let here = unsafe cbr_observing_here()
    let outer = unsafe here.pointee.recording
    unsafe here.pointee.recording = nil
    defer { unsafe here.pointee.recording = outer }
    return body()
  }

  /// Notes that a property is read, and what its class says it depends on.
  @usableFromInline
  func note<Value>(
    _ list: ObserverList, _ owner: AnyObject, _ key: AnyKeyPath, as type: Value.Type = Value.self,
    _ value: Value?
  ) {
    if lists.insert(ObjectIdentifier(list)).inserted {
      let access = Access(
        list: list, owner: ObjectIdentifier(owner), key: key,
        storage: (value as? any ObservableCollection)?.storage
      ) { path, options in
        let identity = ObjectIdentifier(list)
        let handler = ChangeHandler<Value> { [unowned path] in path.linkChanges(identity, $1) }
        return KeyValueObservation(handler, options: options, path: path)
      }
      accesses.append(access)
    }
    noteDependencies(of: key, owner)
  }

  /// Notes that a property without the attribute is read.
  @usableFromInline
  func noteByHand<Owner: KeyValueObservable, Value>(
    _ owner: Owner, _ key: KeyPath<Owner, Value>, _ value: Value? = nil
  ) {
    note(ObserverRegistry.list(for: key, of: owner), owner, key, as: Value.self, value)
  }

  /// Notes what a class says that a key depends on; each key once, so that circles end.
  func noteDependencies(of key: AnyKeyPath, _ owner: AnyObject) {
    guard let observable = owner as? any KeyValueObservable,
      visited.insert(Key(owner: ObjectIdentifier(owner), key: key)).inserted
    else { return }
    for other in DependentKeys.all(of: type(of: observable))[key] { read(other, of: observable) }
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
