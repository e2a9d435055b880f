/// Changes of sets: observers receive the members that were actually inserted or removed, and are
/// not called if there are none.
extension ObservedProperty {
  /// Inserts a member: `add<Key>Object:`.
  ///
  /// - Parameter member: The member.
  /// - Returns: Whether the set did not contain it.
  @discardableResult
  public func insert<Member>(_ member: Member) -> Bool where Value == Set<Member> {
    union([member])
  }

  /// Removes a member: `remove<Key>Object:`.
  ///
  /// - Parameter member: The member.
  /// - Returns: Whether the set contained it.
  @discardableResult
  public func remove<Member>(_ member: Member) -> Bool where Value == Set<Member> {
    subtract([member])
  }

  /// Inserts members: `NSKeyValueUnionSetMutation`, an insertion.
  ///
  /// - Parameter members: The members.
  public func formUnion<Member>(
    _ members: some Sequence<Member>
  ) where Value == Set<Member> {
    union(Set(members))
  }

  /// Removes members: `NSKeyValueMinusSetMutation`, a removal.
  ///
  /// - Parameter members: The members.
  public func subtract<Member>(
    _ members: some Sequence<Member>
  ) where Value == Set<Member> {
    subtract(Set(members))
  }

  /// Removes all but the given members: `NSKeyValueIntersectSetMutation`, a removal.
  ///
  /// - Parameter members: The members to keep.
  public func formIntersection<Member>(
    _ members: some Sequence<Member>
  ) where Value == Set<Member> {
    take(read { $0.subtracting(members) })
  }

  /// Removes all members: a removal.
  public func removeAll<Member>() where Value == Set<Member> { take(value) }

  /// Makes the set equal to another: `NSKeyValueSetSetMutation`, a replacement.
  ///
  /// The change's old value has the removed members, its new value the inserted ones.
  ///
  /// - Parameter members: The members.
  public func replaceAll<Member>(
    with members: some Sequence<Member>
  ) where Value == Set<Member> {
    let all = Set(members)
    let (came, went) = read { (all.subtracting($0), $0.subtracting(all)) }
    guard !came.isEmpty || !went.isEmpty else { return }
    change(ChangeOutline(.replacement), old: { _ in went }, new: { _ in came }) {
      let removed = $0.take(went)
      $0.formUnion(came)
      return (true, removed)
    }
  }

  @discardableResult
  private func union<Member>(_ members: Set<Member>) -> Bool where Value == Set<Member> {
    let came = read { members.subtracting($0) }
    guard !came.isEmpty else { return false }
    change(ChangeOutline(.insertion), old: { _ in nil }, new: { _ in came }) {
      (true, $0.formUnion(came))
    }
    return true
  }

  @discardableResult
  private func subtract<Member>(_ members: Set<Member>) -> Bool where Value == Set<Member> {
    take(read { $0.intersection(members) })
  }

  @discardableResult
  private func take<Member>(_ went: Set<Member>) -> Bool where Value == Set<Member> {
    guard !went.isEmpty else { return false }
    change(ChangeOutline(.removal), old: { _ in went }, new: { _ in nil }) { (true, $0.take(went)) }
    return true
  }
}

extension Set {
  /// Removes members, and returns them; their deinits may access the set.
  fileprivate mutating func take(_ members: Set) -> [Element] {
    if self == members { return Array(exchange(&self, with: [])) }
    // The set's own members are returned: they may be other objects than their equals in `members`.
    return members.compactMap { remove($0) }
  }
}
