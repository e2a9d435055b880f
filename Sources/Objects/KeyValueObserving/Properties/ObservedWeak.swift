public import CKeyValueObserving.Observing
internal import ObjectLifetimes

/// A weak reference to an object as a property whose changes can be observed.
///
/// The destruction of the object is a change too: observers are called once, before the object's
/// deinit begins, on the thread that released its last reference, with neither an old nor a new
/// value, and without a `prior` call. The change of a path through the reference has no old value
/// then either, for that cannot be read any more. Otherwise it is like `@Observed`. An observer
/// with the option `old` that is suspended retains the object that it has missed, as any old value,
/// until it is resumed or removed.
@propertyWrapper @frozen
public struct ObservedWeak<Object: AnyObject> {
  @usableFromInline var observers: ObserverList?
  @usableFromInline weak var object: Object?

  /// Creates a property with its first object.
  @inlinable
  public init(wrappedValue: Object?) { object = wrappedValue }

  /// Unavailable: a structure has no identity that could be observed.
  @available(*, unavailable, message: "@ObservedWeak is for properties of classes")
  public var wrappedValue: Object? {
    get { object }
    set { object = newValue }
  }

  /// The object; nil once it has been destroyed.
  @inlinable
  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner,
    wrapped property: ReferenceWritableKeyPath<Owner, Object?>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Object? {
    get {
      if !cbr_observing_is_plain() { note(owner, property, storage) }
      return owner[keyPath: storage].object
    }
    set {
      guard let list = owner[keyPath: storage].observers else {
        owner[keyPath: storage].object = newValue
        return
      }
      let outline = ChangeOutline(.setting)
      list.change(owner, outline, old: { owner[keyPath: storage].object }, new: { _ in newValue }) {
        owner[keyPath: storage].object = newValue
        list.watch(newValue, of: owner)
        return true
      }
    }
  }

  @usableFromInline
  static func note<Owner: AnyObject>(
    _ owner: Owner, _ property: ReferenceWritableKeyPath<Owner, Object?>,
    _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) {
    let present = owner[keyPath: storage].observers
    let address = present.map { unsafe UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
    guard trackerNeedsNote(ofReading: address ?? 0, of: owner) else { return }
    let object = owner[keyPath: storage].object
    let list = present ?? ObserverRegistry.list(for: property, of: owner)
    if present == nil {
      owner[keyPath: storage].observers = list
      list.watch(object, of: owner)
    }
    if let tracker = DependencyTracker.current {
      tracker.note(list, owner, property, as: Object?.self, object)
    } else {
      list.noteForeignRead(Object?.self)
    }
  }
}

extension ObserverList {
  /// Notifies observers when the object to which a weak property refers is destroyed; replaces the
  /// hook of the property's previous object.
  @usableFromInline
  func watch<Object: AnyObject>(_ object: Object?, of owner: AnyObject) {
    let owner = WeakOwner(owner)
    // If the destruction of the object cannot be hooked, observers are not notified of it.
    let hook = object.flatMap { object in
      try? onDeinit(of: object, .before) { [weak self] in
        guard let self, let owner = owner.object else { return }
        end(owner, ChangeOutline(.setting), nil, old: Object??.none, new: Object??.none)
      }
    }
    exchangeDeathHook(hook)?.remove()
  }
}

// SAFETY: `@unchecked Sendable`: the reference is immutable, and loading a weak reference is
// thread-safe. It is loaded on threads that may use the object. A deinit hook that captures it runs
// on the thread that destroys the referenced object: the property's class must allow a notification
// there.
/// A weak reference to the owner of a property, which any thread may have.
struct WeakOwner: @unchecked Sendable {
  weak let object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}
