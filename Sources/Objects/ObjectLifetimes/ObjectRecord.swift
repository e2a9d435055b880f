// SAFETY: `@unchecked Sendable`: the lock of the table's part guards the contents until the object is
// destroyed. Then the record leaves the table, and no other thread finds it: the destroying thread
// uses it without the lock. No access to the contents runs code of others.
/// The hooks and values of one object.
final class ObjectRecord: @unchecked Sendable {
  @exclusivity(unchecked) private var contents = RecordContents()

  /// See `RecordReference.next`.
  @exclusivity(unchecked) var nextEnding: RecordReference?

  /// Whether the record has neither hooks nor values; called under the lock.
  var isEmpty: Bool { unsafe contents.isEmpty }
}

extension ObjectRecord {
  /// The boxes of values, and the hooks; read under the lock.
  var objects: [AnyObject] { unsafe contents.objects }
}

// MARK: - Hooks

extension ObjectRecord {
  /// Adds a hook at the end; called under the lock.
  func add(_ hook: consuming DeinitHook) { unsafe contents.add(hook) }

  /// Removes a hook; called under the lock.
  ///
  /// - Returns: Whether it was there.
  func remove(_ hook: DeinitHook) -> Bool { unsafe contents.remove(hook) }

  /// Runs the hooks before the object's deinit, in the order of installation.
  func runHooksBefore(_ object: borrowing DyingObject) {
    // The record has left the table: no hook is added or removed any more.
    var index = 0
    while let hook = unsafe contents.nextHookBefore(from: &index) {
      hook.run(object)
    }
  }
}

// MARK: - Values

extension ObjectRecord {
  /// The value under a key; called under the lock.
  @inline(__always)
  func value(of key: UInt64) -> StoredValue? { unsafe contents.value(of: key) }

  /// Sets a value, and leaves the one that it replaces, which the caller releases after unlocking.
  func exchange(_ value: inout StoredValue?, of key: UInt64, in space: UInt64) {
    unsafe contents.exchange(&value, of: key, in: space)
  }

  /// Removes the value under a key; the caller releases it after unlocking.
  func takeValue(of key: UInt64) -> StoredValue? {
    unsafe contents.takeValue(of: key)
  }

  /// Removes all values of a space; the caller releases them after unlocking.
  func takeValues(ofSpace space: UInt64) -> [StoredValue] {
    unsafe contents.takeValues(ofSpace: space)
  }
}

// MARK: - The end

extension ObjectRecord {
  /// Ends the next remnant, while no lock is held, because that may run any code.
  ///
  /// - Returns: Whether none is left.
  func endNext() -> Bool {
    switch unsafe contents.takeNext() {
    case .closure(let hook): hook.free()
    case .value(let value): withExtendedLifetime(value) {}
    case .hook(let hook): hook.run()
    case nil: break
    }
    return unsafe contents.isOver
  }
}
