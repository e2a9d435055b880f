@_exported public import IsolatedClosures

/// A key for values that are attached to objects of any Swift class: typed associated objects.
///
/// ```swift
/// let title = AssociationKey<String>("title")
/// try title.set("Contents", on: page)  // objc_setAssociatedObject
/// title.value(of: page)                // "Contents": objc_getAssociatedObject
/// ```
///
/// Each new key differs from all others, whatever its name; store it in a `static let`. From a name
/// that is known only at run time, `init(named:in:)` makes a key, the same one each time.
///
/// Values live as long as their owner: they are released, in the order in which their keys were
/// first set, after the owner's deinit, on the thread that released the last reference. During its
/// deinit, on the thread that runs it, the owner can still read and remove values, but not set any.
/// (An isolated deinit that has to wait for its actor may find them released.) All methods may be
/// called from any thread, and no lock is held while a value is created, copied or released.
///
/// A value that retains its owner keeps it alive for ever, because the owner retains the value: use
/// a key with weak values, or let the value refer to its owner weakly.
///
/// ```swift
/// let menu = AssociationKey<Menu>("menu")  // Menu has `let page: WeakReference<Page>`
/// let parent = AssociationKey<Page>(weak: "parent")
/// ```
///
/// Values that are not `Sendable` are set and read through `isolated(_:to:)`, by code of one actor
/// or of one `withIsolationScope(_:)`:
///
/// ```swift
/// final class Notes { var text = "" }
/// let notes = AssociationKey<Notes>("notes")
/// try withIsolationScope { scope in
///   try scope.isolated(notes).set(Notes(), on: page)
///   scope.isolated(notes).value(of: page)?.text = "read"
/// }
/// ```
public struct AssociationKey<Value>: Hashable, Sendable, CustomStringConvertible {
  /// The name, for diagnostics.
  public let name: String

  /// The space whose `removeAll(from:)` removes the key's values.
  public let space: AssociationSpace?

  @usableFromInline let identity: UInt64

  // The type of the values' boxes; nil if values are stored by their bytes. Stored, because code
  // that is not specialised for `Value` looks up each generic type made of it.
  private let boxType: ValueBox<Value>.Type?

  // Makes the copy of a value that is stored; nil if values are not copied.
  private let copy: (@Sendable (Value) -> Value)?

  /// Creates a key whose values are retained: `OBJC_ASSOCIATION_RETAIN`.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  public init(_ name: String = "", in space: AssociationSpace? = nil) {
    self.init(name, space, AssociationIdentity.next())
  }

  /// Creates the key of a name that is known at run time, whose values are retained.
  ///
  /// Two keys of one name, one type of values and one space are the same key, wherever they are
  /// made, like selectors as keys of `objc_setAssociatedObject`. So a library can publish a space,
  /// and a plug-in that knows the space and the name reads the values:
  ///
  /// ```swift
  /// let plugins = AssociationSpace("plugins")
  /// for name in ["count", "depth"] { try AssociationKey(named: name, in: plugins).set(3, on: page) }
  /// let count = AssociationKey<Int>(named: "count", in: plugins).value(of: page)
  /// ```
  ///
  /// A name is remembered for ever, and looked up under a lock: keep a key that is used often.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - space: The space in which the name stands, whose `removeAll(from:)` removes the key's
  ///     values; nil for the space that all code shares.
  public init(named name: String, in space: AssociationSpace? = nil) {
    self.init(name, space, AssociationIdentity.of(name, Value.self, in: space?.identity ?? 0))
  }

  private init(_ name: String, _ space: AssociationSpace?, _ identity: UInt64) {
    self.name = name
    self.space = space
    self.identity = identity
    boxType = StoredValue.isTrivial(Value.self) ? nil : StrongBox<Value>.self
    copy = nil
  }

  /// Creates a key whose values are copied when they are set: `OBJC_ASSOCIATION_COPY`.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  ///   - copy: Makes the copy that is stored; called while no lock is held.
  public init(
    _ name: String = "", in space: AssociationSpace? = nil,
    copying copy: @escaping @Sendable (Value) -> Value
  ) {
    self.name = name
    self.space = space
    identity = AssociationIdentity.next()
    boxType = StoredValue.isTrivial(Value.self) ? nil : StrongBox<Value>.self
    self.copy = copy
  }

  /// Creates a key whose values are not retained, and are nil once they have been destroyed.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  public init(weak name: String, in space: AssociationSpace? = nil) where Value: AnyObject {
    self.name = name
    self.space = space
    identity = AssociationIdentity.next()
    (boxType, copy) = (WeakBox<Value>.self, nil)
  }

  /// Whether two values are the same key.
  public static func == (first: Self, second: Self) -> Bool { first.identity == second.identity }

  /// Hashes the number that identifies the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// The key's value type, name and number.
  public var description: String {
    "AssociationKey<\(Value.self)>(\(name.isEmpty ? "" : "\(name), ")#\(identity))"
  }
}

extension AssociationKey where Value: Sendable {
  /// Sets the value of an object, and replaces the present one: `objc_setAssociatedObject`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - owner: The object.
  /// - Throws: `objectIsDying` if the object's last reference has been released;
  ///   `unsupportedObject` for a block; `protectedMemory`, `outOfMemory`.
  public func set(_ value: Value, on owner: AnyObject) throws(LifetimeError) {
    var stored: StoredValue? = store(value)
    try RecordTable.exchange(&stored, of: owner, under: identity, in: space?.identity ?? 0)
    // The old value is in `stored`, and is released here, where no lock is held.
  }

  /// The value of an object: `objc_getAssociatedObject`.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The value; nil if there is none, or if it was weak and has been destroyed.
  @inlinable
  public func value(of owner: AnyObject) -> Value? {
    guard let stored = RecordTable.value(of: owner, under: identity) else { return nil }
    return Self.load(stored)
  }

  /// The value of an object; created and set if the object has none.
  ///
  /// If several threads find none at once, all of them get the value that was set first; the values
  /// that the others made are released.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - make: Creates the value; called at most once, while no lock is held.
  /// - Returns: The value that the object has now.
  /// - Throws: What `set(_:on:)` throws, if the object has no value.
  @inlinable
  public func value(
    of owner: AnyObject, default make: @autoclosure () -> Value
  )
    throws(LifetimeError) -> Value
  {
    let stored = RecordTable.value(of: owner, under: identity)
    if let stored, let value = Self.load(stored) { return value }
    return try setDefault(make, of: owner, replacing: stored)
  }

  /// Removes the value of an object: `objc_setAssociatedObject` with nil.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The removed value; nil if there was none, or if it was weak and has been destroyed.
  @discardableResult
  public func remove(from owner: AnyObject) -> Value? { take(from: owner).flatMap(Self.load) }

  @usableFromInline
  func setDefault(
    _ make: () -> Value, of owner: AnyObject, replacing dead: StoredValue?
  ) throws(LifetimeError) -> Value {
    try setDefault(make, of: owner, replacing: dead, storing: { store($0) }, loading: Self.load)
  }
}

extension AssociationKey {
  /// Sets the value of an object that had none, or only a weak one that has been destroyed.
  @inline(__always)
  func setDefault(
    _ make: () -> Value, of owner: AnyObject, replacing dead: StoredValue?,
    storing store: (Value) -> StoredValue,
    loading load: (StoredValue) throws(LifetimeError) -> Value?
  ) throws(LifetimeError) -> Value {
    // This comes first: a value that could not be set is not made.
    try ObjectDestruction.watchClass(of: owner)
    let value = make()
    let new = store(value)
    // The copy, or the value itself; retained here until it is returned, also if the key is weak.
    let result = try load(new) ?? value
    var expected = dead
    while true {
      let winner = try RecordTable.withRecord(makingOf: owner) { record -> StoredValue? in
        let current = record.value(of: identity)
        if current != expected { return current }
        // The replaced box is `expected`, of a dead weak value, which is retained past the lock.
        var exchanged: StoredValue? = new
        record.exchange(&exchanged, of: identity, in: space?.identity ?? 0)
        return new
      }
      if winner == new { return result }
      if let winner, let value = try load(winner) { return value }
      expected = winner
    }
  }

  /// Removes the value of an object.
  func take(from owner: AnyObject) -> StoredValue? {
    RecordTable.withRecord(of: owner) { $0.takeValue(of: identity) }
  }

  /// Removes a given value of an object, unless the object has another one by now.
  func remove(_ stored: StoredValue, from owner: AnyObject) {
    let removed = RecordTable.withRecord(of: owner) { record in
      record.value(of: identity) == stored ? record.takeValue(of: identity) : nil
    }
    withExtendedLifetime(removed) {}
  }

  /// Stores a value for code of an actor or of a scope.
  func store(_ value: Value, _ isolation: Isolation) -> StoredValue {
    let box = (boxType ?? StrongBox<Value>.self).init(copy.map { $0(value) } ?? value)
    return .box(IsolatedBox(box, isolation))
  }

  private func store(_ value: Value) -> StoredValue {
    if let copy { return store(uncopied: copy(value)) }
    return store(uncopied: value)
  }

  @inline(__always)
  private func store(uncopied value: Value) -> StoredValue {
    guard let boxType else { return .bytes(of: value) }
    return .box(boxType.init(value))
  }

  @inlinable
  static func load(_ stored: StoredValue) -> Value? {
    // SAFETY: what is under a key's number was stored only by that key, whose value type is
    // `Value`.
    switch stored {
    case .bytes(let bytes):
      unsafe withUnsafePointer(to: bytes) {
        unsafe UnsafeRawPointer($0).load(as: Value.self)
      }
    case .box(let box): unsafe unsafeDowncast(box, to: AssociationBox<Value>.self).load()
    }
  }
}
