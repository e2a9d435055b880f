/// Changes of sets: what observers are told are the members that really came or went, and nothing
/// where none did.
extension ObservedProperty {
  /// Inserts a member: `add<Key>Object:`.
  ///
  /// - Parameter member: The member.
  /// - Returns: Whether it was not there.
  @discardableResult
  public func insert<Member>(_ member: Member) -> Bool where Value == Set<Member> {
    union([member])
  }

  /// Removes a member: `remove<Key>Object:`.
  ///
  /// - Parameter member: The member.
  /// - Returns: Whether it was there.
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

  /// Removes all but some members: `NSKeyValueIntersectSetMutation`, a removal.
  ///
  /// - Parameter members: Those that stay.
  public func formIntersection<Member>(
    _ members: some Sequence<Member>
  ) where Value == Set<Member> {
    take(read { $0.subtracting(members) })
  }

  /// Removes all members: a removal.
  public func removeAll<Member>() where Value == Set<Member> { take(value) }

  /// Makes the set equal to another: `NSKeyValueSetSetMutation`, a replacement.
  ///
  /// Its old value are the members that went, its new one those that came.
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
  /// Removes members, and hands them out: their ends may access the set.
  fileprivate mutating func take(_ members: Set) -> [Element] {
    if self == members { return Array(exchange(&self, with: [])) }
    // What is in the set may be another object than its equal in `members`.
    return members.compactMap { remove($0) }
  }
}
