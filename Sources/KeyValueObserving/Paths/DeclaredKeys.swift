internal import Locks

/// The key paths by which classes declare properties that their subclasses name otherwise:
/// `\Student.name` is another key path than `\Person.name`.
enum DeclaredKeys {
  private struct Name: Hashable {
    let owner: ObjectIdentifier
    let key: AnyKeyPath
  }

  private static let known = Locked<[Name: AnyKeyPath?]>([:])

  /// The declaring class's key path of an observable property; nil if it is the one that is given,
  /// or a path.
  ///
  /// The property says it itself, by what its getter notes; each key path is asked once.
  static func key<Owner: KeyValueObservable, Value>(
    of keyPath: KeyPath<Owner, Value>, _ owner: Owner
  ) -> AnyKeyPath? {
    let name = Name(owner: ObjectIdentifier(Owner.self), key: keyPath)
    if let known = known.withLock({ $0[name] }) { return known }
    let accesses = Recording.run { _ in owner[keyPath: keyPath] }.recording.accesses
    var key: AnyKeyPath?
    if accesses.count == 1, let access = accesses.first, access.owner == ObjectIdentifier(owner),
      type(of: access.key).valueType == Value.self, type(of: access.key).rootType != Owner.self
    {
      key = access.key
    }
    known.withLock { $0[name] = .some(key) }
    return key
  }

  /// The same of a key path whose value's type is not known before.
  static func key<Owner: KeyValueObservable>(
    of keyPath: PartialKeyPath<Owner>, _ owner: Owner
  ) -> AnyKeyPath? {
    func find<Value>(_ type: Value.Type) -> AnyKeyPath? {
      (keyPath as? KeyPath<Owner, Value>).flatMap { key(of: $0, owner) }
    }
    return _openExistential(type(of: keyPath).valueType, do: find)
  }
}
