public import CKeyValueObserving.Observing
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
/// Observers are called on the thread that sets the property, while no lock is held, after the
/// change, and, with `prior`, also before it. They may read and set the property. `$name` is the
/// property itself: its changes of a collection notify observers of the members that changed.
///
/// A change in place, such as `person.friends.append(friend)`, is one change of kind `setting`:
/// observers are called when the access has ended, also if it throws; the value is copied only for
/// observers that ask for the old one. During the access the property cannot be read, as without
/// the attribute. A property that has a `willSet` or `didSet`, or that is changed through a key
/// path, is read and set instead. Its `didSet` runs after the observers.
///
/// The property needs the same protection on several threads as one without the attribute: reading
/// and setting it need the same lock or actor, and so does `observe`, which counts as setting the
/// properties that it reads. Only the removal of observers needs no protection.
///
/// Assigning the storage, `_name = Observed(wrappedValue: name)`, begins a new property: observers
/// of the old one are not called until the property is observed again.
///
/// A property without observers costs one more word of memory, and a comparison when it is set or
/// read.
@propertyWrapper @frozen
public struct Observed<Value> {
  @usableFromInline var observers: ObserverList?
  @usableFromInline var value: Value

  /// Creates a property with its first value.
  @inlinable
  public init(wrappedValue: Value) { value = wrappedValue }

  /// Unavailable: a structure has no identity that could be observed.
  @available(*, unavailable, message: "@Observed is for properties of classes")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  /// Unavailable: a structure has no identity that could be observed.
  @available(*, unavailable, message: "@Observed is for properties of classes")
  public var projectedValue: ObservedProperty<Value> {
    var copy = self
    return ObservedProperty(owner: Nobody(), address: 0) { body in body(&copy) }
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
      if cbr_observing_is_plain() { return owner[keyPath: storage].value }
      return notedValue(owner, property, storage)
    }
    @inline(__always) set {
      let (word, old) = owner[keyPath: storage].replace(with: newValue)
      guard let address = unsafe UnsafeRawPointer(bitPattern: word) else { return }
      // SAFETY: the property's storage retains the list, and the caller retains its owner.
      let list = unsafe Unmanaged<ObserverList>.fromOpaque(address)
      let demands = unsafe list._withUnsafeGuaranteedRef { $0.demands.load(ordering: .acquiring) }
      if demands & ~ObserverList.wantsNew == 0 {
        unsafe list._withUnsafeGuaranteedRef { $0.notify(owner, new: newValue) }
      } else if demands & ObserverList.isOpen == 0 {
        var start: ChangeStart?
        if demands & ObserverList.wantsPrior != 0 {
          // No other code has seen the new value: the old one is restored during the prior calls.
          _ = owner[keyPath: storage].replace(with: old)
          // Prior calls may replace the storage.
          _ = unsafe list.retain()
          start = unsafe list._withUnsafeGuaranteedRef {
            $0.begin(owner, ChangeOutline(.setting), old: old)
          }
          _ = owner[keyPath: storage].replace(with: newValue)
        }
        unsafe list._withUnsafeGuaranteedRef {
          $0.end(owner, ChangeOutline(.setting), start, old: old, new: newValue)
        }
        if start != nil { unsafe list.release() }
      }
    }
    @inline(__always) _modify {
      if !cbr_observing_is_plain() { _ = notedValue(owner, property, storage) }
      let list = owner[keyPath: storage].observers
      var old: Value?
      var start: ChangeStart?
      if let list, !list.wants(ObserverList.isOpen) {
        if list.wants(ObserverList.wantsOld) { old = owner[keyPath: storage].value }
        if list.wants(ObserverList.wantsPrior) {
          start = list.begin(owner, ChangeOutline(.setting), old: old)
        }
      }
      list?.beginInPlaceChange()
      // This runs even if the caller throws. `list` is still current: a first observer would have
      // had to read the property, which is impossible during the access.
      defer {
        list?.endInPlaceChange()
        // A change that was announced is ended even if a manual change has begun meanwhile.
        if let list, start != nil || !list.wants(ObserverList.isOpen) {
          let new = list.wants(ObserverList.wantsNew) ? owner[keyPath: storage].value : nil
          list.end(owner, ChangeOutline(.setting), start, old: old, new: new)
        }
      }
      yield &owner[keyPath: storage].value
    }
  }

  /// The property itself.
  @inlinable
  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner,
    projected property: KeyPath<Owner, ObservedProperty<Value>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> ObservedProperty<Value> {
    let address = owner[keyPath: storage].address
    if let property = ObservedProperty<Value>(of: owner, at: address) { return property }
    return ObservedProperty(of: owner) { storage }
  }

  /// The address of the storage: inside of its object, unless a key path copies the storage out and
  /// back.
  @inlinable @inline(__always)
  var address: UInt {
    mutating get { unsafe withUnsafeMutablePointer(to: &self) { UInt(bitPattern: $0) } }
  }

  /// Sets the value.
  ///
  /// It has no branch: the compiler does not resolve the key path of an access with two ends.
  ///
  /// - Returns: The list of observers, as an unretained reference, or 0; and the old value, to be
  ///   released after the access: its deinit may read the property.
  @inlinable @inline(__always)
  mutating func replace(with new: Value) -> (observers: UInt, old: Value) {
    let old = value
    value = new
    return (listAddress, old)
  }

  /// Reads the value, and notes that it is read, if the thread tracks reads.
  ///
  /// The storage's key path is used for accesses only, which the compiler resolves: a key path that
  /// is captured or passed on would be created at run time by each get and set. For the same reason
  /// the property's key path is returned by a closure, which is called when it is needed.
  @inlinable @inline(__always)
  static func notedValue<Owner: AnyObject>(
    _ owner: Owner, _ property: ReferenceWritableKeyPath<Owner, Value>,
    _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    let (list, value) = owner[keyPath: storage].listAndValue
    if trackerNeedsNote(ofReading: list, of: owner) {
      let observers = owner[keyPath: storage].observers
      owner[keyPath: storage].observers = note(owner, observers, value) { property }
    }
    return value
  }

  /// The list of observers, as an unretained reference, or 0; and the value.
  @inlinable @inline(__always)
  var listAndValue: (list: UInt, value: Value) { (listAddress, value) }

  /// The list of observers, as an unretained reference, or 0.
  @inlinable @inline(__always)
  var listAddress: UInt {
    // SAFETY: an optional class reference is one word; nil is 0.
    unsafe unsafeBitCast(observers, to: UInt.self)
  }

  /// Notes in the thread's tracker, or else in another system, that the property is read.
  ///
  /// - Returns: The property's list of observers; created if there was none.
  @inlinable @inline(never)
  static func note(
    _ owner: AnyObject, _ observers: ObserverList?, _ value: Value, _ property: () -> AnyKeyPath
  ) -> ObserverList {
    let key = property()
    let list = observers ?? ObserverRegistry.list(for: key, of: owner)
    if let tracker = DependencyTracker.current {
      tracker.note(list, owner, key, value)
    } else {
      list.noteForeignRead(Value.self)
    }
    return list
  }
}

extension Observed: Encodable where Value: Encodable {
  /// Encodes the value, as if the property had no attribute.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: What the value's encoding throws.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Observed: Decodable where Value: Decodable {
  /// Decodes the value, as if the property had no attribute.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: What the value's decoding throws.
  public init(from decoder: any Decoder) throws {
    try self.init(wrappedValue: Value(from: decoder))
  }
}
