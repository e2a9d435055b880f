public import CKeyValueObserving.Observing

/// A property whose setter notifies no observers: `automaticallyNotifiesObservers(forKey:)` with
/// false.
///
/// The property's class notifies the observers, by `withChange(of:)` or by `willChange(_:)` and
/// `didChange(_:)`. Paths may lead through it as through an `@Observed` property. With
/// `willChange(_:)` in its `willSet` and `didChange(_:)` at the end of its `didSet`, observers are
/// called after the rest of the `didSet`.
@propertyWrapper @frozen
public struct ManuallyObserved<Value> {
  @usableFromInline var value: Value

  /// Creates a property with its first value.
  @inlinable
  public init(wrappedValue: Value) { value = wrappedValue }

  /// Unavailable: a structure has no identity that could be observed.
  @available(*, unavailable, message: "@ManuallyObserved is for properties of classes")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  /// The property's value.
  @inlinable
  public static subscript<Owner: KeyValueObservable>(
    _enclosingInstance owner: Owner,
    wrapped property: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if !cbr_observing_is_plain() { note(owner, property, owner[keyPath: storage].value) }
      return owner[keyPath: storage].value
    }
    @inline(__always) set { _ = owner[keyPath: storage].replace(with: newValue) }
    @inline(__always) _modify {
      if !cbr_observing_is_plain() { note(owner, property, owner[keyPath: storage].value) }
      yield &owner[keyPath: storage].value
    }
  }

  /// Sets the value.
  ///
  /// - Returns: The old value, to be released after the access: its deinit may read the property.
  @inlinable @inline(__always)
  mutating func replace(with new: Value) -> Value {
    let old = value
    value = new
    return old
  }

  @inlinable @inline(never)
  static func note<Owner: KeyValueObservable>(
    _ owner: Owner, _ property: ReferenceWritableKeyPath<Owner, Value>, _ value: Value
  ) {
    DependencyTracker.noteManual(owner, property, value)
  }
}
