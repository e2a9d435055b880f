public import CKeyValueObserving.Observing

/// A property whose setter tells no observers: `automaticallyNotifiesObservers(forKey:)` with false.
///
/// Its class tells them itself, by `withChange(of:)` or `willChange(_:)` and `didChange(_:)`.
/// Paths lead through it as through an `@Observed` one. With `willChange(_:)` in its `willSet` and
/// `didChange(_:)` at the end of its `didSet` it tells after that has run.
@propertyWrapper @frozen
public struct ManuallyObserved<Value> {
  @usableFromInline var value: Value

  /// Makes a property with its first value.
  @inlinable
  public init(wrappedValue: Value) { value = wrappedValue }

  /// Not to be used: a structure has no identity that could be observed.
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
  /// - Returns: The value before, which ends when nobody accesses the property any more: its end may
  ///   read the property.
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
    DependencyTracker.current?.noteByHand(owner, property, value)
  }
}
