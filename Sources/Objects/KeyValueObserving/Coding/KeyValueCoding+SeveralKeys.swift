extension KeyValueCoding {
  /// The values of several keys: `dictionaryWithValuesForKeys:`.
  ///
  /// - Parameter keys: Keys of the class.
  /// - Returns: The values by their keys. A value that is nil is in the dictionary, where
  ///   Foundation has `NSNull`.
  /// - Throws: `KeyValueError` for the first key that cannot be read.
  public func dictionaryWithValues(
    forKeys keys: some Sequence<String>
  ) throws(KeyValueError) -> [String: Any?] {
    var values: [String: Any?] = [:]
    for key in keys { values.updateValue(try value(forKey: key), forKey: key) }
    return values
  }

  /// Sets several keys, in alphabetical order: `setValuesForKeysWithDictionary:`.
  ///
  /// Within `withChangeTransaction(_:)`, observers are called once for all of them.
  ///
  /// - Parameter values: The values by their keys, as `setValue(_:forKey:)` takes them.
  /// - Throws: `KeyValueError` for the first key that cannot be set; those before it have been set.
  public func setValuesForKeys(_ values: [String: Any?]) throws(KeyValueError) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { try setValue(value, forKey: key) }
  }
}
