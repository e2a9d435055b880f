extension KeyValueObservable where Self: Sendable {
  /// Observes the value that a key path names, of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it need not be stored.
  @inlinable @discardableResult @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value> { object, change in
      // SAFETY: a handler runs with the observed object, which is a `Self`.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change)
    }
    return observe(keyPath, options, name, handler, Self.plainDelivery(of: keyPath))
  }

  /// Observes an optional value of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it need not be stored.
  @inlinable @discardableResult
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value?>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value?> { object, change in
      // SAFETY: a handler runs with the observed object, which is a `Self`.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change.compactMap { $0 })
    }
    return observe(keyPath, options, name, handler, Self.plainDelivery(of: keyPath))
  }
}
