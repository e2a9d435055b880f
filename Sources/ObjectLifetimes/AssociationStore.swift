/// The values of objects, without their types: what inlined code of keys calls.
///
/// Boxes that are taken out are released by the caller, where no lock is held.
@usableFromInline
enum AssociationStore {
  /// The box that an object has under a key.
  @usableFromInline
  static func box(of owner: AnyObject, key: UInt64) -> AnyAssociationBox? {
    RecordTable.withRecord(of: owner) { $0.box(of: key) }
  }

  /// Puts a box in the place of another.
  ///
  /// - Throws: What `ObjectDestruction.watchClass(of:)` throws.
  @usableFromInline
  static func exchange(
    _ box: AnyAssociationBox, of owner: AnyObject, key: UInt64, space: UInt64
  ) throws(LifetimeError) -> AnyAssociationBox? {
    let value = AssociatedValue(key: key, space: space, box: box)
    return try RecordTable.withRecord(makingOf: owner) { $0.exchange(value) }
  }

  /// Puts a box in the place of the expected one, or of none.
  ///
  /// - Returns: The box that is there now; not the one given, if it was not the expected one
  ///   that was there.
  /// - Throws: What `ObjectDestruction.watchClass(of:)` throws.
  static func exchange(
    _ expected: AnyAssociationBox?, by box: AnyAssociationBox, of owner: AnyObject, key: UInt64,
    space: UInt64
  ) throws(LifetimeError) -> AnyAssociationBox? {
    let value = AssociatedValue(key: key, space: space, box: box)
    return try RecordTable.withRecord(makingOf: owner) { record in
      let current = record.box(of: key)
      if current !== expected { return current }
      // What is replaced is the caller's as well, so it is not released here.
      _ = record.exchange(value)
      return box
    }
  }

  /// Takes out the box that an object has under a key.
  @usableFromInline
  static func take(from owner: AnyObject, key: UInt64) -> AnyAssociationBox? {
    RecordTable.withRecord(of: owner) { $0.takeBox(of: key) }
  }
}
