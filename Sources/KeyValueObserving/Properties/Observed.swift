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
/// Observers are told on the thread that sets the property, under no lock, after the change, and,
/// with `prior`, before it. They may read and set the property. `$name` is the property itself: it
/// tells which members of a collection changed.
///
/// What changes the value in place, `person.friends.append(friend)`, is told as a set, when the access
/// has ended, also where it throws; the value is copied only for observers who ask for the old one.
/// Within the access the property cannot be read, as without the attribute. A property with its own
/// `willSet` or `didSet`, or changed through a key path, is got and set instead. Its `didSet` runs
/// after the observers.
///
/// The property is as safe to use on several threads as one without the attribute: reading and
/// setting it need the same lock or actor, and so does `observe`, which counts as setting what it
/// reads. Only the removal of observers needs nothing.
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
      noteRead(owner, property, storage)
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      let (word, old) = owner[keyPath: storage].replace(with: newValue)
      guard let address = unsafe UnsafeRawPointer(bitPattern: word) else { return }
      // SAFETY: the owner keeps its list, and the caller the owner.
      let list = unsafe Unmanaged<ObserverList>.fromOpaque(address)
      let demands = unsafe list._withUnsafeGuaranteedRef { $0.demands.load(ordering: .acquiring) }
      if demands & ~ObserverList.wantsNew == 0 {
        unsafe list._withUnsafeGuaranteedRef { $0.notify(owner, new: newValue) }
      } else if demands & ObserverList.isOpen == 0 {
        var start: ChangeStart?
        if demands & ObserverList.wantsPrior != 0 {
          // Nobody has seen the new value: it is set again after the calls that come before it.
          _ = owner[keyPath: storage].replace(with: old)
          start = unsafe list._withUnsafeGuaranteedRef {
            $0.begin(owner, ChangeOutline(.setting), old: old)
          }
          _ = owner[keyPath: storage].replace(with: newValue)
        }
        unsafe list._withUnsafeGuaranteedRef {
          $0.end(owner, ChangeOutline(.setting), start, old: old, new: newValue)
        }
      }
    }
    @inline(__always) _modify {
      noteRead(owner, property, storage)
      let list = owner[keyPath: storage].observers
      var old: Value?
      var start: ChangeStart?
      if let list, !list.wants(ObserverList.isOpen) {
        if list.wants(ObserverList.wantsOld) { old = owner[keyPath: storage].value }
        if list.wants(ObserverList.wantsPrior) {
          start = list.begin(owner, ChangeOutline(.setting), old: old)
        }
      }
      list?.beginAccess()
      // Also where the caller throws. Nobody has come who would have to be told: to observe is to read.
      defer {
        list?.endAccess()
        if let list, !list.wants(ObserverList.isOpen) {
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
    ObservedProperty(owner: owner) { body in body(&owner[keyPath: storage]) }
  }

  /// Sets the value.
  ///
  /// There is no branch in it: two ends of one access would keep the compiler from seeing which
  /// property it is.
  ///
  /// - Returns: The list of observers, a reference that is not counted, or 0; and the value before,
  ///   which ends when nobody accesses the property any more: its end may read the property.
  @inlinable @inline(__always)
  mutating func replace(with new: Value) -> (observers: UInt, old: Value) {
    let old = value
    value = new
    // SAFETY: an optional reference is one word.
    return unsafe (unsafeBitCast(observers, to: UInt.self), old)
  }

  /// Notes that the property is read, if the thread records that.
  ///
  /// The storage's key path is only used to access it, which needs no key path at run time: one that
  /// were captured or handed on would be made by each get and set. So is the property's by a closure.
  @inlinable @inline(__always)
  static func noteRead<Owner: AnyObject>(
    _ owner: Owner, _ property: ReferenceWritableKeyPath<Owner, Value>,
    _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) {
    if !cbr_observing_is_plain(), let tracker = DependencyTracker.current {
      let (observers, value) = (owner[keyPath: storage].observers, owner[keyPath: storage].value)
      owner[keyPath: storage].observers = note(tracker, owner, observers, value) { property }
    }
  }

  /// Notes in the thread's tracker that the property is read.
  ///
  /// - Returns: The property's list of observers, made if there was none.
  @inlinable @inline(never)
  static func note(
    _ tracker: DependencyTracker, _ owner: AnyObject, _ observers: ObserverList?, _ value: Value,
    _ property: () -> AnyKeyPath
  ) -> ObserverList {
    if let observers, tracker.expects(observers) { return observers }
    let key = property()
    let list = observers ?? ObserverRegistry.list(for: key, of: owner)
    tracker.note(list, owner, key, value)
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
