extension Locked {
  /// The value under a key of a dictionary, which is made if there is none.
  ///
  /// The value is made under no lock: if two threads make one, both get the one that is stored
  /// first.
  @inlinable
  package borrowing func value<Key: Hashable, Element, Failure: Error>(
    for key: Key, making make: () throws(Failure) -> Element
  ) throws(Failure) -> Element where Value == [Key: Element] {
    if let known = withLock({ $0[key] }) { return known }
    let made = try make()
    return withLock { known in
      if let first = known[key] { return first }
      known[key] = made
      return made
    }
  }
}
