extension PropertyOwner {
  /// Observes several key paths with one observer, which receives the key path that changed.
  ///
  /// - Parameters:
  ///   - keyPaths: The key paths; the observer is called for a change of each.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; the changes' values are not optional.
  /// - Returns: The observation of all key paths, for its removal; it need not be stored.
  @discardableResult
  public func observe(
    _ keyPaths: [PartialKeyPath<Self>], options: ObservingOptions = .new,
    name: String? = nil,
    _ handler: @escaping (Self, PartialKeyPath<Self>, Change<Any>) throws -> Void
  ) -> KeyValueObservation {
    observeAll(keyPaths, options, name, handler)
  }

  fileprivate func observeAll(
    _ keyPaths: [PartialKeyPath<Self>], _ options: ObservingOptions, _ name: String?,
    _ handler: @escaping (Self, PartialKeyPath<Self>, Change<Any>) throws -> Void
  ) -> KeyValueObservation {
    observeParts(keyPaths, options, name) { whole in
      for keyPath in keyPaths {
        func begin<Value>(_ type: Value.Type) {
          guard let typed = keyPath as? KeyPath<Self, Value>, !whole.isRemoved else { return }
          let handler = ChangeHandler<Value> { [weak whole] object, change in
            // SAFETY: a handler runs with the observed object, which is a `Self`.
            let owner = unsafe unsafeDowncast(object, to: Self.self)
            whole?.runHandler { try handler(owner, keyPath, change.compactMap(withoutOptionals)) }
          }
          let part = observe(typed, options.subtracting(.initial), nil, isPart: true, handler)
          addPart(part, to: whole) { self[keyPath: typed] }
        }
        _openExistential(type(of: keyPath).valueType, do: begin)
      }
    }
  }

  /// Creates an observation whose calls are those of other observations, its parts.
  ///
  /// - Parameters:
  ///   - keyPaths: The observed key paths.
  ///   - options: The options of the parts.
  ///   - name: The observation's name.
  ///   - addParts: Adds the parts.
  /// - Returns: The observation; removed if the object is dying.
  func observeParts(
    _ keyPaths: [AnyKeyPath], _ options: ObservingOptions, _ name: String?,
    _ addParts: (KeyValueObservation) -> Void
  ) -> KeyValueObservation {
    let whole = KeyValueObservation(
      ChangeHandler<Void> { _, _ in }, options: options, name: name, keyPaths: keyPaths)
    guard let registry = ObserverRegistry.registry(of: self) else {
      whole.remove()
      return whole
    }
    // Before other threads can find the observation, and remove it.
    whole.beginParts()
    registry.note(whole)
    addParts(whole)
    return whole
  }

  /// Adds a part to an observation, and makes its initial call, which may remove both.
  func addPart<Value>(
    _ part: KeyValueObservation, to whole: KeyValueObservation, _ read: () -> Value?
  ) {
    whole.add(part)
    guard whole.options.contains(.initial) else { return }
    part.runInitialCall(self, Change(new: whole.options.contains(.new) ? read() : nil))
  }
}

extension KeyValueObservable where Self: Sendable {
  /// Observes several key paths of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - keyPaths: The key paths; the observer is called for a change of each.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; the changes' values are not optional.
  /// - Returns: The observation of all key paths, for its removal; it need not be stored.
  @discardableResult
  public func observe(
    _ keyPaths: [PartialKeyPath<Self>], options: ObservingOptions = .new,
    name: String? = nil,
    _ handler: @escaping @Sendable (Self, PartialKeyPath<Self>, Change<Any>) throws -> Void
  ) -> KeyValueObservation {
    observeAll(keyPaths, options, name, handler)
  }
}
