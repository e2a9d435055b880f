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
    let whole = KeyValueObservation(
      ChangeHandler<Void> { _, _ in }, options: options, name: name,
      keyPaths: keyPaths)
    guard let registry = ObserverRegistry.registry(of: self) else {
      whole.remove()
      return whole
    }
    // Before others can find it, and remove it.
    whole.beginParts()
    registry.note(whole)
    for keyPath in keyPaths {
      func begin<Value>(_ type: Value.Type) {
        guard let typed = keyPath as? KeyPath<Self, Value>, !whole.isRemoved else { return }
        let part = observe(
          typed, options.subtracting(.initial), nil, isPart: true,
          ChangeHandler<Value> { [weak whole] object, change in
            // SAFETY: a handler runs with the observed object, which is a `Self`.
            let owner = unsafe unsafeDowncast(object, to: Self.self)
            whole?.runHandler { try handler(owner, keyPath, change.compactMap(withoutOptionals)) }
          })
        whole.add(part)
        guard options.contains(.initial) else { return }
        let value = options.contains(.new) ? self[keyPath: typed] : nil
        part.runInitialCall(self, Change(new: value))
      }
      _openExistential(type(of: keyPath).valueType, do: begin)
    }
    return whole
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
