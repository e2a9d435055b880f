/// A set property of an object, by its key: `mutableSetValueForKey:`.
///
/// A keyed set is not a copy: it reads the property, and changes it by its setter, with one
/// notification of the members that were actually inserted or removed; none if there are none. A
/// property that is nil reads as empty, and is set by an insertion. A change takes time in
/// proportion to the set's size.
///
/// ```swift
/// let tags = try person.mutableSetValue(forKey: "tags")
/// try tags.insert("draft")       // insertion, new ["draft"]
/// ```
///
/// It retains the object, and needs the same protection on several threads as the property itself.
public struct KeyedSet {
  private let property: KeyedCollection<any MemberStorage>

  init(_ path: StringKeyPath, of root: any KeyValueCoding) throws(KeyValueError) {
    property = try KeyedCollection(path, of: root, kind: "a set") {
      ($0 as? any MemberStorage.Type)?.init()
    }
  }

  /// The members.
  public var members: Set<AnyHashable> { storage.members }

  /// The number of members.
  public var count: Int { storage.count }

  /// Whether there are no members.
  public var isEmpty: Bool { count == 0 }

  /// Whether a value is a member.
  ///
  /// - Parameter member: The value.
  /// - Returns: Whether the set contains it.
  public func contains(_ member: Any) -> Bool {
    type(of: storage).member(member).map(members.contains) ?? false
  }

  /// Inserts a member: `addObject:`.
  ///
  /// - Parameter member: The member: of the members' type, or a number that this type represents
  ///   exactly.
  /// - Returns: Whether the set did not contain it.
  /// - Throws: `typeMismatch`; `readOnly` if the property cannot be set.
  @discardableResult
  public func insert(_ member: Any) throws(KeyValueError) -> Bool {
    try change { [members = try converted([member])] in $0.union(members) }
  }

  /// Removes a member: `removeObject:`.
  ///
  /// - Parameter member: The member.
  /// - Returns: Whether the set contained it.
  /// - Throws: `readOnly` if the property cannot be set.
  @discardableResult
  public func remove(_ member: Any) throws(KeyValueError) -> Bool {
    guard let member = type(of: storage).member(member) else { return false }
    return try change { $0.subtracting([member]) }
  }

  /// Inserts members: `unionSet:`, an insertion.
  ///
  /// - Parameter members: The members.
  /// - Throws: `typeMismatch`; `readOnly` if the property cannot be set.
  public func formUnion(_ members: some Sequence<Any>) throws(KeyValueError) {
    let members = try converted(members)
    try change { $0.union(members) }
  }

  /// Removes members: `minusSet:`, a removal.
  ///
  /// - Parameter members: The members.
  /// - Throws: `readOnly` if the property cannot be set.
  public func subtract(_ members: some Sequence<Any>) throws(KeyValueError) {
    let members = known(members)
    try change { $0.subtracting(members) }
  }

  /// Removes all but the given members: `intersectSet:`, a removal.
  ///
  /// - Parameter members: The members to keep.
  /// - Throws: `readOnly` if the property cannot be set.
  public func formIntersection(_ members: some Sequence<Any>) throws(KeyValueError) {
    let members = known(members)
    try change { $0.intersection(members) }
  }

  /// Removes all members: a removal.
  ///
  /// - Throws: `readOnly` if the property cannot be set.
  public func removeAll() throws(KeyValueError) { try change { _ in [] } }

  /// Makes the set equal to another: `setSet:`, a replacement.
  ///
  /// The change's old value has the removed members, its new value the inserted ones.
  ///
  /// - Parameter members: The members.
  /// - Throws: `typeMismatch`; `readOnly` if the property cannot be set.
  public func replaceAll(with members: some Sequence<Any>) throws(KeyValueError) {
    let members = try converted(members)
    try change(.replacement) { _ in members }
  }

  /// Changes the set, if that makes a difference.
  ///
  /// - Parameters:
  ///   - kind: The kind of the change; nil is an insertion or a removal.
  ///   - result: The new members, from the present ones.
  /// - Returns: Whether the members differ.
  /// - Throws: `readOnly`.
  @discardableResult
  private func change(
    _ kind: ChangeKind? = nil, _ result: (Set<AnyHashable>) -> Set<AnyHashable>
  ) throws(KeyValueError) -> Bool {
    let type = type(of: storage)
    let before = members
    let after = result(before)
    let (came, went) = (after.subtracting(before), before.subtracting(after))
    guard !came.isEmpty || !went.isEmpty else { return false }
    let kind = kind ?? (came.isEmpty ? .removal : .insertion)
    _ = try property.change(
      ChangeOutline(kind), old: kind == .insertion ? nil : type.init(members: went),
      new: kind == .removal ? nil : type.init(members: came)
    ) { current in
      // An observer's prior call may have changed the set.
      type.init(members: current.members.subtracting(went).union(came))
    }
    return true
  }

  private func converted(_ values: some Sequence<Any>) throws(KeyValueError) -> Set<AnyHashable> {
    let type = type(of: storage)
    return try Set(
      property.converted(values.lazy.map { $0 as Any? }, to: type.memberType) { type.member($0) })
  }

  /// The values that can be members.
  private func known(_ values: some Sequence<Any>) -> Set<AnyHashable> {
    let type = type(of: storage)
    return Set(values.compactMap { type.member($0) })
  }

  private var storage: any MemberStorage { property.storage }
}

extension KeyedSet: CustomStringConvertible {
  /// The members.
  public var description: String { "\(storage)" }
}

extension KeyValueCoding {
  /// The set of a key, to be changed in place: `mutableSetValueForKey:`.
  ///
  /// - Parameter key: One of the class's keys, whose type is a set or an optional one.
  /// - Returns: The set.
  /// - Throws: `KeyValueError` if the class does not list the key, or its type is another one.
  public func mutableSetValue(forKey key: String) throws(KeyValueError) -> KeyedSet {
    try KeyedSet(StringKeyPath(key: key), of: self)
  }

  /// The set of a key path, to be changed in place: `mutableSetValueForKeyPath:`.
  ///
  /// It is the set of the object that is the last on the path now.
  ///
  /// - Parameter keyPath: Keys, separated by dots.
  /// - Returns: The set.
  /// - Throws: `KeyValueError` if the path cannot be followed, a value on it is nil, or the type of
  ///   its last key is not a set.
  public func mutableSetValue(forKeyPath keyPath: String) throws(KeyValueError) -> KeyedSet {
    try KeyedSet(StringKeyPath(keyPath), of: self)
  }
}
