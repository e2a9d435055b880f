/// A member of a list whose members are called one after the other: the target of a proxy, a
/// listener.
package protocol ListMember: AnyObject {
  /// The identity of the member's object, also after its death.
  var identity: WeakIdentity { get }

  /// The priority: members of a higher priority come first, those of the same priority in the order
  /// in which they were added.
  var priority: Int { get }

  /// Notes that the member has left: then no call of it begins, not even in a round of calls in
  /// progress.
  func leave()
}

extension Array where Element: ListMember {
  /// The index of an object's member.
  private func place(of identity: WeakIdentity) -> Int? {
    firstIndex { $0.identity == identity }
  }

  /// Whether an object has a member.
  package func hasMember(_ identity: WeakIdentity) -> Bool { place(of: identity) != nil }

  /// Adds a member behind those of the same or a higher priority, unless its object has one.
  ///
  /// - Returns: Whether it was added.
  package mutating func join(_ member: Element) -> Bool {
    guard !hasMember(member.identity) else { return false }
    insert(member, at: firstIndex { $0.priority < member.priority } ?? count)
    return true
  }

  /// Removes the member of an object.
  ///
  /// - Returns: Whether there was one.
  package mutating func leave(_ identity: WeakIdentity) -> Bool {
    guard let place = place(of: identity) else { return false }
    remove(at: place).leave()
    return true
  }

  /// Removes all members.
  package mutating func leaveAll() {
    for member in self { member.leave() }
    self = []
  }
}
