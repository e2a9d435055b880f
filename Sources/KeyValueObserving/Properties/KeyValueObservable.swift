/// A class whose properties can be observed: `NSKeyValueObserving`.
///
/// Conforming costs nothing; a property becomes observable by `@Observed`, or by manual
/// notifications. Any expression that a key path names can be observed: properties, paths through
/// other objects and optionals, computed properties.
///
/// ```swift
/// let token = person.observe(\.address?.city, options: [.old, .new]) { person, change in
///   print(change)
/// }
/// token.remove()
/// ```
///
/// A key path with a computed property or another object on the way depends on the observable
/// properties that its getters read. It is evaluated when it is observed, and whenever one of these
/// changes; such getters must have no side effects. A property that is changed manually calls
/// `willRead(_:)` in its getter, so that paths through it are notified of its changes.
///
/// The key path of an inherited property from a subclass, `\Student.name`, differs from that of the
/// declaring class, `\Person.name`, but names the same property: manual changes and the removal of
/// observers accept either. It is observed as a path, which takes longer: where that matters,
/// observe the object as its superclass, `(student as Person).observe(\.name)`. Entries of
/// dependent keys must use the declaring class's key path. If a subclass overrides an observed
/// property, observers receive the values of the superclass's property. A computed property that
/// only returns another property is a different property.
///
/// A key path may have arguments, as in `\.[key]`. They are hashed and compared while no lock is
/// held, and retained as long as the key path is observed.
///
/// Actors cannot conform: Swift has no key paths to their properties. A property that is neither
/// observable nor changed manually may be observed, but its observers are never called.
public protocol KeyValueObservable: AnyObject {
  /// The dependencies of the class's properties that their getters do not show; none by default.
  ///
  /// It is read once for each class.
  static var dependentKeys: DependentKeys { get }
}

extension KeyValueObservable {
  /// No dependencies.
  public static var dependentKeys: DependentKeys { [:] }
}

extension KeyValueObservable {
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
