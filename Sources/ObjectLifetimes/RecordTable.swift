internal import BlockRuntimeThreads

/// The table of all objects' records, by address.
///
/// A record is in the table from its first hook or value until the last one is removed, or until
/// the object is destroyed: it is taken out before the object's deinit, so that a later object at
/// the same address does not inherit it. Only numbers and references are moved under a lock: no
/// closure or value is created, copied, run or released there.
enum RecordTable {
  static let shardBits = 6

  /// The parts of the table; the lock of each also guards the contents of its records.
  private static let shards = InlineArray<64, Locked<RecordsByAddress>> { _ in
    Locked(RecordsByAddress())
  }

  /// Calls a closure under the lock of the part that has an address.
  @inline(__always)
  static func withRecords<Result>(
    ofShardWith address: UInt, _ body: (inout RecordsByAddress) -> Result
  ) -> Result {
    let index = Int(RecordsByAddress.hash(address) &>> UInt(UInt.bitWidth - shardBits))
    return shards[index].withLock(body)
  }

  /// Takes the record of a dying object out of the table.
  static func take(_ address: UInt) -> ObjectRecord? {
    withRecords(ofShardWith: address) { records in
      guard let record = records.remove(address) else { return nil }
      record.leaveTable()
      return record
    }
  }

  /// Calls a closure under the lock, with the record of a live object; creates a missing record.
  ///
  /// - Throws: What `ObjectDestruction.watchClass(of:)` throws.
  static func withRecord<Result: Sendable>(
    makingOf object: AnyObject, _ body: (ObjectRecord) -> Result
  ) throws(LifetimeError) -> Result {
    // If the caller's reference were released early, the record would outlive the object.
    defer { extendLifetime(object) }
    let address = UInt(bitPattern: ObjectIdentifier(object))
    // The class of an object with a record is watched, and the object has not begun to die: its
    // record leaves the table before that.
    if ObjectDestruction.isMarked(object),
      let result = withRecords(ofShardWith: address, { $0.withRecord(address, body) })
    {
      return result
    }
    try ObjectDestruction.watchClass(of: object)
    return withRecords(ofShardWith: address) { records in
      if let result = records.withRecord(address, body) { return result }
      let record = ObjectRecord(address)
      ObjectDestruction.mark(address)
      records.insert(record, address)
      return body(record)
    }
  }

  /// Calls a closure under the lock, with the record of an object, if it has one; the closure
  /// removes nothing.
  static func withRecord<Result: Sendable>(
    reading object: AnyObject, _ body: (ObjectRecord) -> Result?
  ) -> Result? {
    defer { extendLifetime(object) }
    if let dying = ObjectDestruction.dyingRecord(of: object) { return dying.withLock(body) }
    guard ObjectDestruction.isMarked(object) else { return nil }
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return withRecords(ofShardWith: address) { $0.withRecord(address, body) }
  }

  /// Calls a closure under the lock, with the record of an object, if it has one.
  ///
  /// The record of a dying object is found only on the thread that runs its deinit. A record that
  /// the closure leaves empty is dropped.
  static func withRecord<Result: Sendable>(
    of object: AnyObject, _ body: (ObjectRecord) -> Result?
  ) -> Result? {
    defer { extendLifetime(object) }
    if let dying = ObjectDestruction.dyingRecord(of: object) { return dying.withLock(body) }
    guard ObjectDestruction.isMarked(object) else { return nil }
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return withRecords(ofShardWith: address) { records in
      var isLeftEmpty = false
      let result = records.withRecord(address) { record in
        let result = body(record)
        isLeftEmpty = record.isEmpty
        return result
      }
      if isLeftEmpty { records.remove(address)?.leaveTable() }
      return result
    }
  }
}
