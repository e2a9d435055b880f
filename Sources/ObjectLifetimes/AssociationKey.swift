/// A key under which objects of any Swift class have values: associated objects, typed.
///
/// ```swift
/// let title = AssociationKey<String>("title")
/// try title.set("Contents", on: page)  // objc_setAssociatedObject
/// title.value(of: page)                // "Contents": objc_getAssociatedObject
/// ```
///
/// Each key that is made differs from all others, whatever its name; keep it in a `static let`.
///
/// Values live as long as their owner: they are released, in the order in which their keys were
/// first set, after the owner's deinit, on the thread that gave up the last reference. In its own
/// deinit the owner can still read and remove them, on the thread that runs it, but set none.
/// (An isolated deinit that has to wait for its actor may find them gone.) All methods may be
/// called from any thread, and no lock is held while a value is made, copied or released.
///
/// A value that refers to its owner keeps it alive for ever, for the owner keeps the value: hold
/// the value weakly, or let it hold the owner weakly.
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

  // How a value is held, if not strongly as it is.
  private let makeBox: (@Sendable (Value) -> AssociationBox<Value>)?

  /// Makes a key whose values are kept as they are: `OBJC_ASSOCIATION_RETAIN`.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  public init(_ name: String = "", in space: AssociationSpace? = nil) {
    self.name = name
    self.space = space
    makeBox = nil
  }

  /// Makes a key whose values are copied when they are set: `OBJC_ASSOCIATION_COPY`.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  ///   - copy: Makes the copy that is kept.
  public init(
    _ name: String = "", in space: AssociationSpace? = nil,
    copying copy: @escaping @Sendable (Value) -> Value
  ) {
    self.name = name
    self.space = space
    makeBox = { StrongBox(copy($0)) }
  }

  /// Makes a key whose values are not kept alive, and read nil once they have died.
  ///
  /// - Parameters:
  ///   - name: A name for diagnostics.
  ///   - space: The space whose `removeAll(from:)` removes the key's values.
  public init(weak name: String, in space: AssociationSpace? = nil) where Value: AnyObject {
    self.name = name
    self.space = space
    makeBox = { WeakBox($0) }
  }

  /// Whether two values are the same key.
  public static func == (first: Self, second: Self) -> Bool { first.identity == second.identity }

  /// Hashes what makes the key different from others.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// The name, the number and the type of the key.
  public var description: String {
    "AssociationKey<\(Value.self)>(\(name.isEmpty ? "" : "\(name), ")#\(identity))"
  }
}

extension AssociationKey {
  /// Gives an object a value, in the place of the one it has: `objc_setAssociatedObject`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - owner: The object.
  /// - Throws: `objectIsDying` if the object's last reference is gone; `unsupportedObject` for a
  ///   block; `protectedMemory`, `outOfMemory`.
  public func set(_ value: Value, on owner: AnyObject) throws(LifetimeError) {
    let new = associated(value)
    let old = try RecordTable.withRecord(makingOf: owner) { $0.exchange(new) }
    // Here, where no lock is held, the old value goes.
    withExtendedLifetime(old) {}
  }

  /// The value that an object has: `objc_getAssociatedObject`.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The value; nil if there is none, or if it was weak and has died.
  public func value(of owner: AnyObject) -> Value? {
    guard let box = untypedBox(of: owner) else { return nil }
    return typed(box).load()
  }

  /// The value that an object has; made and set where it has none.
  ///
  /// Of several threads that find none, all get the same value, the one that was set first; those
  /// that others made are released.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - make: Makes the value; called at most once, under no lock.
  /// - Returns: The value that the object has now.
  /// - Throws: What `set(_:on:)` throws, where the object has no value.
  public func value(
    of owner: AnyObject, default make: @autoclosure () -> Value
  )
    throws(LifetimeError) -> Value
  {
    var present = untypedBox(of: owner)
    if let present, let value = typed(present).load() { return value }
    // Where the value could not be set it is not made either.
    try ObjectDestruction.watchClass(of: owner)
    let value = make()
    let made = associated(value)
    // A copy, or the value itself: that one is held here until it is returned, also if the key is
    // weak.
    let result = typed(made.box).load() ?? value
    while true {
      let expected = present
      let winner = try RecordTable.withRecord(makingOf: owner) { record in
        let current = record.box(of: identity)
        if current !== expected { return current }
        // What is replaced is `expected`, a weak value that has died: its box outlives the lock.
        _ = record.exchange(made)
        return made.box
      }
      if winner === made.box { return result }
      if let winner, let value = typed(winner).load() { return value }
      present = winner
    }
  }

  /// Takes an object's value away: `objc_setAssociatedObject` with nil.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The value that it had; nil if there was none, or if it was weak and has died.
  @discardableResult
  public func remove(from owner: AnyObject) -> Value? {
    guard let box = RecordTable.withRecord(of: owner, { $0.takeBox(of: identity) })
    else { return nil }
    return typed(box).load()
  }

  private func associated(_ value: Value) -> AssociatedValue {
    AssociatedValue(
      key: identity, space: space?.identity ?? 0, box: makeBox?(value) ?? StrongBox(value))
  }

  // Untyped as long as possible: where the type of the values is not known to the compiler, each
  // type made of it is looked up at run time.
  private func untypedBox(of owner: AnyObject) -> AnyAssociationBox? {
    let identity = identity
    return RecordTable.withRecord(of: owner) { $0.box(of: identity) }
  }

  private func typed(_ box: AnyAssociationBox) -> AssociationBox<Value> {
    // SAFETY: only this key, with its type, puts boxes under its number.
    unsafe unsafeDowncast(box, to: AssociationBox<Value>.self)
  }
}
