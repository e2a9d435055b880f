extension KeyValueObservable {
  /// Makes an observation of a key path.
  @usableFromInline
  func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, _ options: ObservingOptions, _ name: String?,
    isPart: Bool = false, _ handler: ChangeHandler<Value>
  ) -> KeyValueObservation {
    observePath(of: self, keyPath, options, name, isPart: isPart, handler) {
      object, tracker in
      // SAFETY: the object is the one that is observed.
      let owner = unsafe unsafeDowncast(object, to: Self.self)
      let value = owner[keyPath: keyPath]
      tracker?.noteDeclared(keyPath, owner, value)
      return value
    }
  }
}

/// Makes an observation of what a closure reads of an object.
///
/// - Parameters:
///   - root: The object.
///   - keyPath: What is observed, if it has a key path.
///   - path: The string path that is observed, if it is one.
///   - options: What the observer is told.
///   - name: The observation's name.
///   - isPart: Whether another observation, which the object knows, has this one.
///   - handler: The observer.
///   - read: Reads the value, and notes what reading it does not show.
/// - Returns: The observation; removed if the object is dying.
func observePath<Value>(
  of root: AnyObject, _ keyPath: AnyKeyPath?, named path: String? = nil,
  _ options: ObservingOptions, _ name: String?, isPart: Bool = false,
  _ handler: ChangeHandler<Value>,
  _ read: @escaping (AnyObject, DependencyTracker?) -> Value
) -> KeyValueObservation {
  let observation = KeyValueObservation(
    handler, options: options, name: name,
    keyPaths: path == nil ? keyPath.map { [$0] } ?? [] : [], stringKeyPath: path,
    reader: ValueReader { read($0, nil) })
  guard let registry = ObserverRegistry.registry(of: root) else {
    observation.remove()
    return observation
  }
  let (value, tracker) = DependencyTracker.run { read(root, $0) }
  let accesses = tracker.accesses
  if !isPart { registry.note(observation) }
  if accesses.count == 1, accesses[0].key == keyPath, accesses[0].owner == ObjectIdentifier(root) {
    if !accesses[0].list.add(observation) { observation.remove() }
  } else {
    let path = PathObserver(root: root, observation: observation, read: read)
    observation.attach { [weak path] _ in path?.stop() }
    path.follow()
  }
  if options.contains(.initial) {
    // At once, also in a transaction.
    let change = Change(new: options.contains(.new) ? value : nil)
    DependencyTracker.suspended { observation.call(root, change) }
  }
  return observation
}
