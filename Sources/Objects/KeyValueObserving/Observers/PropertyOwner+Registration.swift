extension PropertyOwner {
  /// Makes the deliveries of a path's changes; inlinable, so that the types are specialised.
  @inlinable
  static func plainDelivery<Value>(of keyPath: KeyPath<Self, Value>) -> PlainPathDelivery {
    plainDelivery { $1.value(of: keyPath, from: $0) }
  }

  /// Makes the deliveries of the changes of a path whose value is optional.
  @inlinable
  static func plainDelivery<Value>(of keyPath: KeyPath<Self, Value?>) -> PlainPathDelivery {
    plainDelivery { $1.value(of: keyPath, from: $0) }
  }

  @inlinable @inline(__always)
  static func plainDelivery<Value>(
    _ read: @escaping (Self, PathRepetition) -> Value?
  ) -> PlainPathDelivery {
    PlainPathDelivery { root, observation, repetition, isAlone in
      // SAFETY: the path begins at the observed object, which is a `Self`.
      guard let value = read(unsafe unsafeDowncast(root, to: Self.self), repetition) else {
        return nil
      }
      let change = observation.demands.contains(.new) ? Change(setting: value) : Change()
      guard isAlone else { return { observation.deliver(root, change) } }
      observation.deliver(root, change)
      return {}
    }
  }

  /// Creates an observation of a key path.
  @usableFromInline
  func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, _ options: ObservingOptions, _ name: String?,
    isPart: Bool = false, _ handler: ChangeHandler<Value>,
    _ plainDelivery: PlainPathDelivery? = nil
  ) -> KeyValueObservation {
    observePath(of: self, keyPath, options, name, isPart: isPart, handler, plainDelivery) {
      object, tracker in
      // SAFETY: `read` is called with the observed object, which is a `Self`.
      let owner = unsafe unsafeDowncast(object, to: Self.self)
      let value = owner[keyPath: keyPath]
      tracker?.noteDeclared(keyPath, owner, value)
      return value
    }
  }
}

/// Creates an observation of the value that a closure reads of an object.
///
/// - Parameters:
///   - root: The object.
///   - keyPath: The observed key path, if there is one.
///   - path: The observed string key path, if it is one.
///   - options: The observer's options.
///   - name: The observation's name.
///   - isPart: Whether this is a part of another observation, which is registered instead of it.
///   - handler: The observer.
///   - plainDelivery: Makes the deliveries of changes that need the new value only.
///   - read: Reads the value, and notes the dependencies that reading it does not show.
/// - Returns: The observation; removed if the object is dying.
func observePath<Value>(
  of root: AnyObject, _ keyPath: AnyKeyPath?, named path: String? = nil,
  _ options: ObservingOptions, _ name: String?, isPart: Bool = false,
  _ handler: ChangeHandler<Value>, _ plainDelivery: PlainPathDelivery? = nil,
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
  // If a path is needed, it observes the other system's properties anew.
  tracker.foreign?.end()
  if !isPart { registry.note(observation) }
  // The observer of a single property of the object needs no path.
  let dependencies = tracker.dependencies
  if dependencies.count == 1, let only = dependencies.first, only.key == keyPath,
    only.owner == ObjectIdentifier(root)
  {
    if !only.list.add(observation) { observation.remove() }
  } else {
    let path = PathObserver(root: root, observation: observation, plainDelivery, read: read)
    observation.attach { [weak path] _ in path?.stop() }
    path.follow()
  }
  if options.contains(.initial) {
    // The initial call is made at once, also in a transaction; another system's properties may have
    // changed before they were observed.
    let present = tracker.foreign == nil ? value : read(root, nil)
    observation.runInitialCall(root, Change(new: options.contains(.new) ? present : nil))
  }
  return observation
}
