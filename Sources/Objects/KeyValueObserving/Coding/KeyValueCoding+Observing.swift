/// A class whose properties have keys; classes conform to `KeyValueCoding`.
///
/// It is separate from `KeyValueCoding` for the reason that `PropertyOwner` states.
public protocol KeyedPropertyOwner: PropertyOwner {}

extension KeyedPropertyOwner {
  /// Observes the value of a string key path: `addObserver(_:forKeyPath:options:context:)`.
  ///
  /// Calls are made as for a typed key path. Members that an operator reads are observed too, as
  /// long as they are members. A path that cannot be evaluated later on has the value nil.
  ///
  /// ```swift
  /// try team.observe(keyPath: "members.@sum.age") { team, change in print(change) }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: Keys and operators, separated by dots; a collection must be followed by an
  ///     operator.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it need not be stored.
  /// - Throws: `KeyValueError` if the path cannot be evaluated now, or leads through a collection
  ///   without an operator.
  @discardableResult
  public func observe(
    keyPath: String, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, Change<Any>) throws -> Void
  ) throws(KeyValueError) -> KeyValueObservation {
    let handler = ChangeHandler<AnyValue> { object, change in
      // SAFETY: a handler runs with the observed object, which is a `Self`.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change.compactMap(\.value))
    }
    guard let object = self as? any KeyValueCoding else {
      throw KeyValueError(
        .noKeys, "\(type(of: self)) has no keys; make it conform to KeyValueCoding",
        subject: keyPath)
    }
    return try object.observe(StringKeyPath(keyPath), options, name, handler)
  }
}

extension KeyValueCoding {
  fileprivate func observe(
    _ path: StringKeyPath, _ options: ObservingOptions, _ name: String?,
    _ handler: ChangeHandler<AnyValue>
  ) throws(KeyValueError) -> KeyValueObservation {
    _ = try KeyPathReader(path, needsOperators: true).value(of: self)
    let table = KeyTable.table(of: type(of: self))
    if path.components.count == 1, let key = table[path.components[0].name] {
      func observe<Value>(_ type: Value.Type) -> KeyValueObservation {
        let typed = ChangeHandler<Value> { try handler.body($0, $1.compactMap { AnyValue($0) }) }
        return self.observe(key, named: path.text, options, name, typed)
      }
      return _openExistential(type(of: key).valueType, do: observe)
    }
    return observePath(of: self, nil, named: path.text, options, name, handler) {
      object, tracker in
      // SAFETY: the closure is called with the observed object, which is a `Self`.
      let owner = unsafe unsafeDowncast(object, to: Self.self)
      let reader = KeyPathReader(path, tracker, needsOperators: true)
      do throws(KeyValueError) { return AnyValue(try reader.value(of: owner)) } catch {
        return AnyValue(nil)
      }
    }
  }

  /// Observes a single key as its key path is observed.
  private func observe<Value>(
    _ key: AnyKeyPath, named path: String, _ options: ObservingOptions, _ name: String?,
    isPart: Bool = false, _ handler: ChangeHandler<Value>
  ) -> KeyValueObservation {
    observePath(of: self, key, named: path, options, name, isPart: isPart, handler) {
      object, tracker in
      // SAFETY: the closure is called with the observed object, which is a `Self`.
      let owner = unsafe unsafeDowncast(object, to: Self.self)
      let value = if let tracker { tracker.read(key, of: owner) } else { owner[keyPath: key] }
      // SAFETY: the key path was read from this object before, and its value type is `Value`.
      return unsafe (value as? Value).unsafelyUnwrapped
    }
  }
}

extension KeyedPropertyOwner {
  /// Observes all keys of the class with one observer, which receives the key that changed.
  ///
  /// ```swift
  /// person.observeAll { person, key, _ in print(key, "is", try person.value(forKey: key) ?? "nil") }
  /// ```
  ///
  /// A key of a computed property changes with the properties that its getter reads. For a property
  /// with several keys, the observer is called once for each. Properties that are not observable
  /// never notify it.
  ///
  /// - Parameters:
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; the changes' values are not optional.
  /// - Returns: The observation of all keys, for its removal; it need not be stored. It observes
  ///   nothing if the class has no keys.
  @discardableResult
  public func observeAll(
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping (Self, String, Change<Any>) throws -> Void
  ) -> KeyValueObservation {
    observeParts([], options, name) { whole in
      (self as? any KeyValueCoding)?.observeKeys(whole) { object, key, change in
        // SAFETY: a handler runs with the observed object, which is a `Self`.
        try handler(unsafe unsafeDowncast(object, to: Self.self), key, change)
      }
    }
  }
}

extension KeyValueCoding {
  fileprivate func observeKeys(
    _ whole: KeyValueObservation,
    _ handler: @escaping (AnyObject, String, Change<Any>) throws -> Void
  ) {
    let table = KeyTable.table(of: type(of: self))
    for name in table.names {
      // A key path of another class has no value.
      guard !whole.isRemoved, let key = table[name], self[keyPath: key] != nil else { continue }
      func begin<Value>(_ type: Value.Type) {
        let handler = ChangeHandler<Value> { [weak whole] object, change in
          whole?.runHandler { try handler(object, name, change.compactMap(withoutOptionals)) }
        }
        let options = whole.options.subtracting(.initial)
        let part = observe(key, named: name, options, nil, isPart: true, handler)
        addPart(part, to: whole) { self[keyPath: key] as? Value }
      }
      _openExistential(Swift.type(of: key).valueType, do: begin)
    }
  }
}

extension KeyValueCoding where Self: Sendable {
  /// Observes the value of a string key path of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - keyPath: Keys and operators, separated by dots; a collection must be followed by an
  ///     operator.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it need not be stored.
  /// - Throws: `KeyValueError` if the path cannot be evaluated now, or leads through a collection
  ///   without an operator.
  @discardableResult
  public func observe(
    keyPath: String, options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Self, Change<Any>) throws -> Void
  ) throws(KeyValueError) -> KeyValueObservation {
    let handler = ChangeHandler<AnyValue> { object, change in
      // SAFETY: a handler runs with the observed object, which is a `Self`.
      try handler(unsafe unsafeDowncast(object, to: Self.self), change.compactMap(\.value))
    }
    return try observe(StringKeyPath(keyPath), options, name, handler)
  }
}

extension KeyValueCoding where Self: Sendable {
  /// Observes all keys of an object that any thread may change.
  ///
  /// Everything else is as with other objects.
  ///
  /// - Parameters:
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - handler: The observer; the changes' values are not optional.
  /// - Returns: The observation of all keys, for its removal; it need not be stored.
  @discardableResult
  public func observeAll(
    options: ObservingOptions = .new, name: String? = nil,
    _ handler: @escaping @Sendable (Self, String, Change<Any>) throws -> Void
  ) -> KeyValueObservation {
    observeParts([], options, name) { whole in
      observeKeys(whole) { object, key, change in
        // SAFETY: a handler runs with the observed object, which is a `Self`.
        try handler(unsafe unsafeDowncast(object, to: Self.self), key, change)
      }
    }
  }
}
