extension KeyValueCoding {
  /// Throws `undefinedKeyError(_:)`.
  public func value(forUndefinedKey key: String) throws -> Any? { throw undefinedKeyError(key) }

  /// Throws `undefinedKeyError(_:)`.
  public func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    throw undefinedKeyError(key)
  }

  /// Throws a `typeMismatch`.
  public func setNilValue(forKey key: String) throws { _ = try validateType(nil, forKey: key) }

  /// Validates the type: `validateType(_:forKey:)`.
  public func validateValue(_ value: Any?, forKey key: String) throws -> Any? {
    try validateType(value, forKey: key)
  }

  /// The error `unknownKey` for a key that the class does not list: `NSUndefinedKeyException`.
  ///
  /// An implementation of `value(forUndefinedKey:)` throws it for keys that it does not know
  /// either.
  ///
  /// - Parameter key: The key.
  /// - Returns: The error; its message lists the class's keys.
  public func undefinedKeyError(_ key: String) -> KeyValueError {
    let table = KeyTable.table(of: type(of: self))
    return KeyValueError(
      .unknownKey,
      "\(type(of: self)) has no key \(KeyValueError.quoted(key)): \(table.hint(for: key))",
      subject: key, at: .byte(0))
  }

  /// Converts a value to the type of a key, as `setValue(_:forKey:)` does.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: One of the class's keys; other keys take all values.
  /// - Returns: The value in the key's type.
  /// - Throws: `typeMismatch`.
  public func validateType(_ value: Any?, forKey key: String) throws(KeyValueError) -> Any? {
    guard let keyPath = KeyTable.table(of: type(of: self))[key] else { return value }
    func convert<Value>(_ type: Value.Type) -> Any? { converted(value, to: type) }
    guard let value = _openExistential(type(of: keyPath).valueType, do: convert) else {
      throw StringKeyPath(key: key).typeMismatch(type(of: keyPath).valueType, value)
    }
    return withoutOptionals(value)
  }

  /// Validates a value before it is set at a key path: `validateValue:forKeyPath:error:`.
  ///
  /// The last object on the path validates it. A value in a dictionary is not validated.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - keyPath: Keys, separated by dots.
  /// - Returns: The value to set: the same, or a corrected one.
  /// - Throws: `KeyValueError` if the path cannot be followed; what `validateValue(_:forKey:)`
  ///   throws.
  public func validateValue(_ value: Any?, forKeyPath keyPath: String) throws -> Any? {
    let place = try KeyPathWriter(path: StringKeyPath(keyPath)).place(from: self)
    guard place.dictionaries.isEmpty else { return value }
    return try place.object.validateValue(value, forKey: place.component.name)
  }
}
