/// A class with properties that can be observed; classes conform to `KeyValueObservable`.
///
/// It is separate from `KeyValueObservable` so that, of functions with one name, the compiler tries
/// the one whose observer need not be `Sendable` last: for a `Sendable` class it must choose
/// another.
public protocol PropertyOwner: AnyObject {}

extension PropertyOwner {
  /// Observes the value that a key path names:
  /// `addObserver(_:forKeyPath:options:context:)`.
  ///
  /// Observers are called for each change, in the order of registration, on the thread that makes
  /// the change, while no lock is held, and may read and change any property: all observers are
  /// called for such a change before the remaining ones are called for the first change. An
  /// observer that is added during a change is not called for it; one that is removed is not called
  /// any more. An observer that throws is removed, and its error is stored (`failure`).
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; retained until it is removed or the object is destroyed. If it
  ///     captures the object strongly, it keeps that alive until it is removed.
  /// - Returns: The observation, for its removal; it need not be stored.
  @inlinable @discardableResult @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value> { object, change in
      // SAFETY: a handler runs with the observed object, which is a `Self`.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change)
    }
    return observe(keyPath, options, name, handler, Self.plainDelivery(of: keyPath))
  }

  /// Observes an optional value; the changes' values are not doubly optional.
  ///
  /// Everything else is as with other values.
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
    _ handler: @escaping (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value?> { object, change in
      // SAFETY: a handler runs with the observed object, which is a `Self`.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change.compactMap { $0 })
    }
    return observe(keyPath, options, name, handler, Self.plainDelivery(of: keyPath))
  }
}
