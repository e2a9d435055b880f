extension KeyValueObservable {
  /// The object's observations that have not been removed, in the order of their registration.
  ///
  /// They include those that `observeElements` of a collection has made for the object.
  public var observations: [KeyValueObservation] {
    ObserverRegistry.existing(of: self)?.observations ?? []
  }

  /// Removes all observers of the object, or those with a name: `removeObserver(_:)`.
  ///
  /// - Parameter name: The name; nil removes all.
  /// - Returns: The number of observers that this call removed.
  @discardableResult
  public func removeObservers(name: String? = nil) -> Int {
    removeObservers(named: name) { _ in true }
  }

  /// Removes all observers of a key path, or those of them with a name.
  ///
  /// An observer of several key paths is removed by any of them.
  ///
  /// - Parameters:
  ///   - keyPath: The key path that was passed to `observe`, or a subclass's or superclass's key
  ///     path of the same property: `\Student.name` for `\Person.name`.
  ///   - name: The name; nil removes all.
  /// - Returns: The number of observers that this call removed.
  @discardableResult
  public func removeObservers(
    of keyPath: PartialKeyPath<Self>, name: String? = nil
  ) -> Int {
    let property = PropertyName(keyPath)
    return removeObservers(named: name) { observation in
      observation.keyPaths.contains { PropertyName($0).isSame(as: property) }
    }
  }

  /// Removes all observers of a string key path, or those of them with a name.
  ///
  /// - Parameters:
  ///   - keyPath: The key path that was passed to `observe`.
  ///   - name: The name; nil removes all.
  /// - Returns: The number of observers that this call removed.
  @discardableResult
  public func removeObservers(ofKeyPath keyPath: String, name: String? = nil) -> Int {
    removeObservers(named: name) { $0.stringKeyPath == keyPath }
  }

  private func removeObservers(
    named name: String?, where isMeant: (KeyValueObservation) -> Bool
  ) -> Int {
    observations.filter { (name == nil || $0.name == name) && isMeant($0) }.count { $0.remove() }
  }
}
