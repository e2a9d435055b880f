extension KeyValueObservable {
  /// Observes several key paths by one observer, which is told which one changed.
  ///
  /// - Parameters:
  ///   - keyPaths: What is observed; each is a change of its own.
  ///   - options: What the observer is told, and when.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; the changes' values are not optional.
  /// - Returns: The observation of all of them, for its removal; it may be dropped.
  @discardableResult
  public func observe(
    _ keyPaths: [PartialKeyPath<Self>], options: ObservingOptions = .new,
    name: String? = nil,
    _ handler: @escaping (Self, PartialKeyPath<Self>, Change<Any>) throws -> Void
  ) -> KeyValueObservation {
    let whole = KeyValueObservation(
      ChangeHandler<Void> { _, _ in }, options: options, name: name,
      keyPaths: keyPaths)
    guard let registry = ObserverRegistry.registry(of: self) else {
      whole.remove()
      return whole
    }
    registry.note(whole)
    for keyPath in keyPaths {
      func begin<Value>(_ type: Value.Type) {
        guard let typed = keyPath as? KeyPath<Self, Value>, !whole.isRemoved else { return }
        let part = observe(
          typed, options.subtracting(.initial), nil, isPart: true,
          ChangeHandler<Value> { [weak whole] object, change in
            // SAFETY: an observation's object is the one it was made for.
            let owner = unsafe unsafeDowncast(object, to: Self.self)
            whole?.call { try handler(owner, keyPath, change.compactMap(withoutOptionals)) }
          })
        whole.attach { _ in part.remove() }
        guard options.contains(.initial) else { return }
        let value = options.contains(.new) ? self[keyPath: typed] : nil
        DependencyTracker.suspended { part.call(self, Change(new: value)) }
      }
      _openExistential(type(of: keyPath).valueType, do: begin)
    }
    return whole
  }
}
