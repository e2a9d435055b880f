public import CKeyValueObserving.Observing
internal import ObjectLifetimes

/// A property that refers to an object weakly, and whose changes can be observed.
///
/// Also the death of the object is a change: observers are told once, when the object's own deinit
/// is about to begin, on the thread that gave up its last reference, with neither an old nor a new
/// value, and without a `prior` call. Otherwise it is like `@Observed`.
@propertyWrapper @frozen
public struct ObservedWeak<Object: AnyObject> {
  @usableFromInline var observers: ObserverList?
  @usableFromInline weak var object: Object?

  /// Makes a property with its first object.
  @inlinable
  public init(wrappedValue: Object?) { object = wrappedValue }

  /// Not to be used: a structure has no identity that could be observed.
  @available(*, unavailable, message: "@ObservedWeak is for properties of classes")
  public var wrappedValue: Object? {
    get { object }
    set { object = newValue }
  }

  /// The object; nil once it has died.
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
    guard let tracker = DependencyTracker.current else { return }
    let object = owner[keyPath: storage].object
    let list: ObserverList
    if let present = owner[keyPath: storage].observers {
      list = present
    } else {
      list = ObserverRegistry.list(for: property, of: owner)
      owner[keyPath: storage].observers = list
      list.watch(object, of: owner)
    }
    tracker.note(list, owner, property, as: Object?.self, object)
  }
}

extension ObserverList {
  /// Tells observers when an object dies to which the property refers weakly, and no longer when an
  /// earlier one does.
  @usableFromInline
  func watch<Object: AnyObject>(_ object: Object?, of owner: AnyObject) {
    let owner = WeakOwner(owner)
    // An object whose end cannot be seen dies in silence, as with any weak reference.
    let hook = object.flatMap { object in
      try? onDeinit(of: object, .before) { [weak self] in
        guard let self, let owner = owner.object else { return }
        end(owner, ChangeOutline(.setting), nil, old: Object??.none, new: Object??.none)
      }
    }
    exchangeDeathHook(hook)?.remove()
  }
}

/// An object that hooks of others refer to, which may run on any thread.
private struct WeakOwner: @unchecked Sendable {
  weak let object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}
