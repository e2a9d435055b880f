@_exported public import IsolatedClosures

// A value belongs to the actor or the scope that set it: elsewhere it is not read, as if there were
// none, and the error `wrongExecutor` is written to standard error.

extension Isolated {
  /// Sets the value of an object, which need not be `Sendable`, and replaces the present one.
  ///
  /// The value belongs to the actor, or to the scope, whose end removes it: it is read there only,
  /// and freed there.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - owner: The object.
  /// - Throws: The errors of `AssociationKey.set(_:on:)`.
  public func set<Value>(
    _ value: Value, on owner: AnyObject
  ) throws(LifetimeError) where Base == AssociationKey<Value> {
    var stored: StoredValue? = store(value, of: owner)
    try RecordTable.exchange(
      &stored, of: owner, under: base.identity, in: base.space?.identity ?? 0)
    // The old value is in `stored`, and is released here, where no lock is held.
  }

  /// The value of an object.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The value; nil if there is none, if it was weak and has been destroyed, or if it
  ///   belongs to other code: then the error `wrongExecutor` is written to standard error.
  public func value<Value>(of owner: AnyObject) -> Value? where Base == AssociationKey<Value> {
    RecordTable.value(of: owner, under: base.identity).flatMap(load)
  }

  /// The value of an object; created and set if the object has none.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - make: Creates the value; called at most once.
  /// - Returns: The value that the object has now.
  /// - Throws: What `set(_:on:)` throws, if the object has no value; `wrongExecutor` if it has one
  ///   that belongs to other code.
  public func value<Value>(
    of owner: AnyObject, default make: @autoclosure () -> Value
  ) throws(LifetimeError) -> Value where Base == AssociationKey<Value> {
    let stored = RecordTable.value(of: owner, under: base.identity)
    if let stored, let value = try checked(stored) { return value }
    return try base.setDefault(
      make, of: owner, replacing: stored, storing: { store($0, of: owner) }, loading: checked)
  }

  /// Removes the value of an object.
  ///
  /// - Parameter owner: The object.
  /// - Returns: The removed value; nil if `value(of:)` would be nil. It is removed also if it
  ///   belongs to other code.
  @discardableResult
  public func remove<Value>(from owner: AnyObject) -> Value? where Base == AssociationKey<Value> {
    base.take(from: owner).flatMap(load)
  }

  /// Loads a value.
  ///
  /// - Throws: `wrongExecutor` if it belongs to other code.
  private func checked<Value>(_ stored: StoredValue) throws(LifetimeError) -> Value?
  where Base == AssociationKey<Value> {
    if case .box(let box) = stored, let isolated = box as? IsolatedBox<Value> {
      do throws(IsolationError) { try isolated.check(for: isolation) } catch {
        throw LifetimeError(passing: error)
      }
    }
    return load(stored)
  }

  private func load<Value>(_ stored: StoredValue) -> Value?
  where Base == AssociationKey<Value> {
    if case .box(let box) = stored, let isolated = box as? IsolatedBox<Value> {
      return isolated.load(for: isolation)
    }
    return AssociationKey<Value>.load(stored)
  }

  private func store<Value>(_ value: Value, of owner: AnyObject) -> StoredValue
  where Base == AssociationKey<Value> {
    let stored = base.store(value, isolation)
    isolation.atEnd { [weak owner, base] in
      if let owner { base.remove(stored, from: owner) }
    }
    return stored
  }
}
