public import CBlockRuntime.Observing
public import Synchronization

/// A property of a class whose changes can be observed: `@objc dynamic`.
///
/// ```swift
/// final class Person: KeyValueObservable {
///   @Observed var name = ""
///   @Observed var address: Address?
/// }
/// person.observe(\.name, options: [.old, .new]) { person, change in print(change) }
/// ```
///
/// Observers are told on the thread that sets the property, under no lock, after the change, and,
/// with `prior`, before it. They may read and set the property. `$name` is the property itself: it
/// changes collections in place, and tells which members changed.
///
/// The property is as safe to use on several threads as one without the attribute: setting it needs
/// the same lock or actor as reading it, and so does `observe`, which reads what it observes. Only
/// the removal of observers needs nothing.
///
/// A property that nobody observes costs a word more memory, and a comparison when it is set or read.
@propertyWrapper @frozen
public struct Observed<Value> {
  @usableFromInline var observers: ObserverList?
  @usableFromInline var value: Value

  /// Makes a property with its first value.
  @inlinable
  public init(wrappedValue: Value) { value = wrappedValue }

  /// Not to be used: a structure has no identity that could be observed.
  @available(*, unavailable, message: "@Observed is for properties of classes")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  /// Not to be used: a structure has no identity that could be observed.
  @available(*, unavailable, message: "@Observed is for properties of classes")
  public var projectedValue: ObservedProperty<Value> {
    var copy = self
    return ObservedProperty(owner: Nobody()) { body in body(&copy) }
  }

  private final class Nobody {}

  /// The property's value.
  @inlinable
  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner,
    wrapped property: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if !cbr_observing_is_plain() { note(owner, property, storage) }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      let (list, displaced) = unsafe owner[keyPath: storage].replace(with: newValue)
      guard let list = unsafe list else { return }
      // SAFETY: the owner keeps its list, and the caller the owner.
      unsafe list._withUnsafeGuaranteedRef {
        if displaced != nil { return $0.notify(owner, new: newValue) }
        $0.change(owner, old: { owner[keyPath: storage].value }, new: { newValue }) {
          _ = owner[keyPath: storage].exchange(newValue)
        }
      }
    }
  }

  /// The property itself.
  @inlinable
  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner,
    projected property: KeyPath<Owner, ObservedProperty<Value>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> ObservedProperty<Value> {
    ObservedProperty(owner: owner) { body in body(&owner[keyPath: storage]) }
  }

  /// Sets the value, unless observers want to know more than the new one.
  ///
  /// - Returns: The list of observers, if there is one, and the value before, if it was set. That
  ///   one ends when nobody accesses the property any more: its end may read the property.
  @inlinable @inline(__always)
  mutating func replace(
    with new: Value
  ) -> (observers: Unmanaged<ObserverList>?, displaced: Value?) {
    guard let observers else { return (nil, exchange(new)) }
    let list = unsafe Unmanaged.passUnretained(observers)
    guard observers.demands.load(ordering: .acquiring) == 0 else { return unsafe (list, nil) }
    return unsafe (list, exchange(new))
  }

  @inlinable @inline(__always)
  mutating func exchange(_ new: Value) -> Value {
    let old = value
    value = new
    return old
  }

  /// Notes in the thread's recording, if there is one, that the property is read.
  @inlinable @inline(never)
  static func note<Owner: AnyObject>(
    _ owner: Owner, _ property: ReferenceWritableKeyPath<Owner, Value>,
    _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) {
    guard let recording = Recording.current else { return }
    let list = owner[keyPath: storage].observers ?? ObserverRegistry.list(for: property, of: owner)
    owner[keyPath: storage].observers = list
    recording.note(list, owner, property, owner[keyPath: storage].value)
  }
}
