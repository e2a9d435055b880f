internal import BlockRuntimeThreads

/// The table of all objects' records, by address.
///
/// A record is in the table from its first hook or value until the last one is removed, or until
/// the object is destroyed: it is taken out before the object's deinit, so that a later object at
/// the same address does not inherit it. Only numbers and references are moved under a lock: no
/// closure or value is created, copied, run or released there.
@usableFromInline
enum RecordTable {
  static let shardBits = 6

  /// The parts of the table; the lock of each also guards the contents of its records.
  ///
  /// The commands for debuggers find them by their symbol: see `Tools/blockruntime/objects.py`.
  static let shards = InlineArray<64, Locked<RecordsByAddress>> { _ in
    Locked(RecordsByAddress())
  }

  /// Calls a closure under the lock of the part that has an address.
  @inline(__always)
  static func withRecords<Result>(
    ofShardWith address: UInt, _ body: (inout RecordsByAddress) -> Result
  ) -> Result {
    let index = Int(
      truncatingIfNeeded: RecordsByAddress.hash(address) &>> UInt(UInt.bitWidth - shardBits))
    return shards[index].withLock(body)
  }

  /// Takes the record of a dying object out of the table.
  static func take(_ address: UInt) -> RecordReference? {
    withRecords(ofShardWith: address) { $0.take(address) }
  }
}

extension RecordsByAddress {
  /// Takes out a record, which the object's mark counted.
  fileprivate mutating func take(_ address: UInt) -> RecordReference? {
    guard let record = remove(address) else { return nil }
    ObjectDestruction.unmark(address)
    return record
  }
}

// MARK: - Hooks

extension RecordTable {
  /// Adds a hook of a live object whose class is watched.
  static func add(_ hook: DeinitHook) {
    let address = hook.address
    withRecords(ofShardWith: address) { records in
      records.update(address) { place in
        guard place == nil else {
          return RecordReference.withRecord(makingIn: &place) { $0.add(hook) }
        }
        ObjectDestruction.mark(address)
        place = RecordReference(hook)
      }
    }
  }

  /// Removes a hook, unless the record of its object has left the table.
  ///
  /// The record of another object, which has the address now, does not have the hook.
  static func remove(_ hook: DeinitHook) {
    withRecords(ofShardWith: hook.address) { records in
      guard let record = records[hook.address], record.remove(hook) else { return }
      records.take(hook.address)?.release()
    }
  }
}

// MARK: - Values

extension RecordTable {
  /// The boxes of an object's values, and its hooks.
  static func contents(of object: AnyObject) -> [AnyObject] {
    defer { extendLifetime(object) }
    guard ObjectDestruction.isMarked(object) else { return [] }
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return withRecords(ofShardWith: address) { records in
      records[address]?.access(hook: { [$0] }, record: { unsafe $0.contents.objects }) ?? []
    }
  }
}

extension RecordTable {
  /// Calls a closure under the lock, with the record of a live object; creates a missing record.
  ///
  /// - Throws: What `ObjectDestruction.watchClass(of:)` throws.
  static func withRecord<Result: Sendable>(
    makingOf object: AnyObject, _ body: (inout RecordContents) -> Result
  ) throws(LifetimeError) -> Result {
    // If the caller's reference were released early, the record would outlive the object.
    defer { extendLifetime(object) }
    try ObjectDestruction.watchClass(of: object)
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return withRecords(ofShardWith: address) { records in
      records.update(address) { place in
        if place == nil { ObjectDestruction.mark(address) }
        return RecordReference.withRecord(makingIn: &place, body)
      }
    }
  }

  /// Sets the value of a live object under a key, and leaves the replaced value, or nil, in the
  /// argument.
  ///
  /// - Throws: What `ObjectDestruction.watchClass(of:)` throws.
  static func exchange(
    _ value: inout StoredValue?, of object: AnyObject, under key: UInt64, in space: UInt64
  ) throws(LifetimeError) {
    try withRecord(makingOf: object) { $0.exchange(&value, of: key, in: space) }
  }

  /// The value of an object under a key.
  ///
  /// The result has no static type: in code that is not specialised for it, generic types are
  /// looked up at run time.
  @usableFromInline
  static func value(of object: AnyObject, under key: UInt64) -> StoredValue? {
    defer { extendLifetime(object) }
    if let dying = ObjectDestruction.dyingRecord(of: object) {
      return dying.value(of: key)
    }
    guard ObjectDestruction.isMarked(object) else { return nil }
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return withRecords(ofShardWith: address) { $0[address]?.value(of: key) }
  }

  /// Calls a closure under the lock, with the record of an object, if it has one.
  ///
  /// The record of a dying object is found only on the thread that runs its deinit. A record that
  /// the closure leaves empty is dropped.
  static func withRecord<Result: Sendable>(
    of object: AnyObject, _ body: (inout RecordContents) -> Result?
  ) -> Result? {
    defer { extendLifetime(object) }
    if let dying = ObjectDestruction.dyingRecord(of: object) { return dying.withRecord(body) }
    guard ObjectDestruction.isMarked(object) else { return nil }
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return withRecords(ofShardWith: address) { records in
      guard let record = records[address] else { return nil }
      let result = record.withRecord(body)
      if record.isEmpty { records.take(address)?.release() }
      return result
    }
  }
}
