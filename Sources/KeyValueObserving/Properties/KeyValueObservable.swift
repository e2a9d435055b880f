/// A class whose properties can be observed: `NSKeyValueObserving`.
///
/// Conforming costs nothing; a property is made observable by `@Observed`, or by hand. Any
/// expression that a key path names can be observed: properties, links through other objects and
/// optionals, computed properties.
///
/// ```swift
/// let token = person.observe(\.address?.city, options: [.old, .new]) { person, change in
///   print(change)
/// }
/// token.remove()
/// ```
///
/// A key path with a computed property or a link depends on the observable properties that its
/// getters read. It is evaluated when it is observed, and when one of these changes; getters that
/// read them must have no effects. A property that is changed by hand calls `willRead(_:)` in its
/// getter, so that paths through it see it.
///
/// A subclass's name of an inherited property, `\Student.name`, is another key path than that of the
/// class that declares it, but names the same property: changes by hand and the removal of observers
/// take either. It is observed as a path, which takes longer: where that matters, observe the object
/// as its superclass, `(student as Person).observe(\.name)`. Entries of dependent keys are found by the
/// declaring class's key path. A subclass that overrides an observed property tells what its
/// superclass's property holds. A computed property that only reads another one is not that one.
///
/// A key path may have arguments, `\.[key]`. They are hashed and compared under no lock, and kept as long
/// as somebody observes.
///
/// Actors cannot conform: Swift makes no key paths of their properties. A property that is neither
/// observable nor changed by hand may be named, but is never told of.
public protocol KeyValueObservable: AnyObject {
  /// What properties depend on that their getters do not show.
  ///
  /// By default nothing. Each class is asked once.
  static var dependentKeys: DependentKeys { get }
}

extension KeyValueObservable {
  /// Nothing.
  public static var dependentKeys: DependentKeys { [:] }
}

extension KeyValueObservable {
  /// Observes the value that a key path names:
  /// `addObserver(_:forKeyPath:options:context:)`.
  ///
  /// The observer is called for each change, in the order of registration, on the thread that
  /// makes the change, under no lock, and may read and change everything: a change that it makes is
  /// told to all observers before the one that it was called for is told to those after it. An
  /// observer that is added during a change is not told of that one; one that is removed is not
  /// called any more. An observer that throws is removed, and keeps its error (`failure`).
  ///
  /// - Parameters:
  ///   - keyPath: What is observed.
  ///   - options: What the observer is told, and when.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer. It is kept until it is removed or the object dies; one that refers
  ///     to the object strongly keeps it alive until then.
  /// - Returns: The observation, for its removal; it may be dropped.
  @inlinable @discardableResult @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value> { object, change in
      // SAFETY: an observation's object is the one it was made for.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change)
    }
    return observe(keyPath, options, name, handler)
  }

  /// Observes an optional value; the changes' values are not doubly optional.
  ///
  /// Everything else is as with other values.
  ///
  /// - Parameters:
  ///   - keyPath: What is observed.
  ///   - options: What the observer is told, and when.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it may be dropped.
  @inlinable @discardableResult
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value?>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value?> { object, change in
      // SAFETY: an observation's object is the one it was made for.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change.compactMap { $0 })
    }
    return observe(keyPath, options, name, handler)
  }
}

extension KeyValueObservable where Self: Sendable {
  /// Observes the value that a key path names, of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - keyPath: What is observed.
  ///   - options: What the observer is told, and when.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it may be dropped.
  @inlinable @discardableResult @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value> { object, change in
      // SAFETY: an observation's object is the one it was made for.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change)
    }
    return observe(keyPath, options, name, handler)
  }

  /// Observes an optional value of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - keyPath: What is observed.
  ///   - options: What the observer is told, and when.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it may be dropped.
  @inlinable @discardableResult
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value?>, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Self, Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let handler = ChangeHandler<Value?> { object, change in
      // SAFETY: an observation's object is the one it was made for.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change.compactMap { $0 })
    }
    return observe(keyPath, options, name, handler)
  }
}
