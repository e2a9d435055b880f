/// Changes of dictionaries: observers receive the entries that change.
extension ObservedProperty {
  /// Sets the value of a key: an insertion, or, if the key had a value, a replacement.
  ///
  /// - Parameters:
  ///   - newValue: The value.
  ///   - key: The key.
  /// - Returns: The old value of the key, if it had one.
  @discardableResult
  public func updateValue<Key, Element>(
    _ newValue: Element, forKey key: Key
  ) -> Element? where Value == [Key: Element] {
    let old = read { $0[key] }
    change(
      ChangeOutline(old == nil ? .insertion : .replacement),
      old: { _ in old.map { [key: $0] } }, new: { _ in [key: newValue] }
    ) { entries in
      let replaced = entries.index(forKey: key).map { entries[$0] }
      entries[key] = newValue
      return (true, replaced)
    }
    return old
  }

  /// Removes a key and its value: a removal, if there is one.
  ///
  /// - Parameter key: The key.
  /// - Returns: The old value of the key, if it had one.
  @discardableResult
  public func removeValue<Key, Element>(
    forKey key: Key
  ) -> Element? where Value == [Key: Element] {
    guard let old = read({ $0[key] }) else { return nil }
    change(ChangeOutline(.removal), old: { _ in [key: old] }, new: { _ in nil }) { entries in
      (true, entries.index(forKey: key).map { entries.remove(at: $0) })
    }
    return old
  }

  /// Sets the values of several keys: one insertion of the new keys, if there are any, then one
  /// replacement of the values of the others, if there are any.
  ///
  /// - Parameter entries: The keys and their values; of entries with the same key, the last counts.
  public func merge<Key, Element>(
    _ entries: some Sequence<(key: Key, value: Element)>
  ) where Value == [Key: Element] {
    let all = Dictionary(entries.map { ($0.key, $0.value) }) { $1 }
    let (come, change) = read { present in
      (all.filter { present[$0.key] == nil }, all.filter { present[$0.key] != nil })
    }
    if !come.isEmpty {
      self.change(ChangeOutline(.insertion), old: { _ in nil }, new: { _ in come }) {
        (true, $0.take(replacingWith: come))
      }
    }
    if !change.isEmpty {
      self.change(
        ChangeOutline(.replacement), old: { $0.filter { change[$0.key] != nil } },
        new: { _ in change }
      ) {
        (true, $0.take(replacingWith: change))
      }
    }
  }

  /// Removes all entries: a removal, if there are any.
  public func removeAll<Key, Element>() where Value == [Key: Element] {
    guard read({ !$0.isEmpty }) else { return }
    change(ChangeOutline(.removal), old: { $0 }, new: { _ in nil }) {
      (true, exchange(&$0, with: [:]))
    }
  }
}

extension Dictionary {
  /// Sets the values of several keys, and returns the old ones, whose deinits may access the
  /// dictionary.
  fileprivate mutating func take(replacingWith entries: Dictionary) -> [Value] {
    var replaced: [Value] = []
    merge(entries) { old, new in
      replaced.append(old)
      return new
    }
    return replaced
  }
}
