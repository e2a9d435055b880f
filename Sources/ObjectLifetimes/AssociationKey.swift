/// A key for values that are attached to objects of any Swift class: typed associated objects.
///
/// ```swift
/// let title = AssociationKey<String>("title")
/// try title.set("Contents", on: page)  // objc_setAssociatedObject
/// title.value(of: page)                // "Contents": objc_getAssociatedObject
/// ```
///
/// Each new key differs from all others, whatever its name; store it in a `static let`.
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
public struct AssociationKey<Value: Sendable>: Hashable, Sendable, CustomStringConvertible {
  /// The name, for diagnostics.
  public let name: String

  /// The space whose `removeAll(from:)` removes the key's values.
  public let space: AssociationSpace?

  private let identity = AssociationIdentity.next()

  // Stored, because code that is not specialised for `Value` looks up each generic type made of it.
  private let boxType: AssociationBox<Value>.Type

  // Makes the copy of a value that is stored; nil if values are not copied.
  private let copy: (@Sendable (Value) -> Value)?

  /// Creates a key whose values are retained: `OBJC_ASSOCIATION_RETAIN`.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  public init(_ name: String = "", in space: AssociationSpace? = nil) {
    self.name = name
    self.space = space
    (boxType, copy) = (StrongBox<Value>.self, nil)
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
    (boxType, self.copy) = (StrongBox<Value>.self, copy)
  }

  /// Creates a key whose values are not retained, and are nil once they have been destroyed.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  public init(weak name: String, in space: AssociationSpace? = nil) where Value: AnyObject {
    self.name = name
    self.space = space
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

extension AssociationKey {
  /// Sets the value of an object, and replaces the present one: `objc_setAssociatedObject`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - owner: The object.
  /// - Throws: `objectIsDying` if the object's last reference has been released;
  ///   `unsupportedObject` for a block; `protectedMemory`, `outOfMemory`.
  public func set(_ value: Value, on owner: AnyObject) throws(LifetimeError) {
    var box: AnyAssociationBox? = makeBox(value)
    try RecordTable.withRecord(makingOf: owner) {
      $0.exchange(&box, of: identity, in: space?.identity ?? 0)
    }
    // The old value is in `box`, and is released here, where no lock is held.
  }

  /// The value of an object: `objc_getAssociatedObject`.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The value; nil if there is none, or if it was weak and has been destroyed.
  public func value(of owner: AnyObject) -> Value? {
    guard let box = untypedBox(of: owner) else { return nil }
    return typed(box).load()
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
  public func value(
    of owner: AnyObject, default make: @autoclosure () -> Value
  )
    throws(LifetimeError) -> Value
  {
    var present = untypedBox(of: owner)
    if let present, let value = typed(present).load() { return value }
    // A value that could not be set is not made either.
    try ObjectDestruction.watchClass(of: owner)
    let value = make()
    let box = makeBox(value)
    // The copy, or the value itself; retained here until it is returned, also if the key is weak.
    let result = typed(box).load() ?? value
    while true {
      let expected = present
      let winner = try RecordTable.withRecord(makingOf: owner) { record in
        let current = record.box(of: identity)
        if current !== expected { return current }
        // The replaced box is `expected`, of a dead weak value: `present` retains it past the lock.
        var exchanged: AnyAssociationBox? = box
        record.exchange(&exchanged, of: identity, in: space?.identity ?? 0)
        return box
      }
      if winner === box { return result }
      if let winner, let value = typed(winner).load() { return value }
      present = winner
    }
  }

  /// Removes the value of an object: `objc_setAssociatedObject` with nil.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The removed value; nil if there was none, or if it was weak and has been destroyed.
  @discardableResult
  public func remove(from owner: AnyObject) -> Value? {
    guard let box = RecordTable.withRecord(of: owner, { $0.takeBox(of: identity) })
    else { return nil }
    return typed(box).load()
  }

  private func makeBox(_ value: Value) -> AssociationBox<Value> {
    if let copy { return boxType.init(copy(value)) }
    return boxType.init(value)
  }

  // Untyped as long as possible: in code that is not specialised for `Value`, each generic type
  // made of it is looked up at run time.
  private func untypedBox(of owner: AnyObject) -> AnyAssociationBox? {
    let identity = identity
    return RecordTable.withRecord(reading: owner) { $0.box(of: identity) }
  }

  private func typed(_ box: AnyAssociationBox) -> AssociationBox<Value> {
    // SAFETY: boxes under a key's number are stored only by that key, whose value type is `Value`.
    unsafe unsafeDowncast(box, to: AssociationBox<Value>.self)
  }
}

// MARK: - Boxes

// SAFETY: `@unchecked Sendable`, as are its subclasses, because a class that is not final cannot be
// checked: all stored properties are immutable, and of Sendable types.
/// A value that belongs to an object, without its type.
class AnyAssociationBox: @unchecked Sendable {}

/// A value that belongs to an object, with its type.
class AssociationBox<Value: Sendable>: AnyAssociationBox, @unchecked Sendable {
  required init(_ value: Value) {}

  /// The value; nil if it was held weakly and has been destroyed.
  func load() -> Value? { nil }
}

/// A value that its owner retains.
final class StrongBox<Value: Sendable>: AssociationBox<Value>, @unchecked Sendable {
  private let value: Value

  required init(_ value: Value) {
    self.value = value
    super.init(value)
  }

  override func load() -> Value? { value }
}

/// An object that its owner refers to weakly.
final class WeakBox<Value: AnyObject & Sendable>: AssociationBox<Value>, @unchecked Sendable {
  private weak let value: Value?

  required init(_ value: Value) {
    self.value = value
    super.init(value)
  }

  override func load() -> Value? { value }
}
