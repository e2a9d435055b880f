extension StringKeyPath {
  /// Makes an error of the path from the error that a method of an object threw for a key.
  ///
  /// - Parameters:
  ///   - code: The code, unless the error is a `KeyValueError`.
  ///   - error: The error that the method threw.
  ///   - object: The object.
  ///   - method: The method.
  ///   - component: The key.
  /// - Returns: The error.
  func error(
    _ code: ErrorCode, _ error: any Error, of object: any KeyValueCoding, _ method: String,
    _ component: Component
  ) -> KeyValueError {
    guard let error = error as? KeyValueError else {
      return KeyValueError(
        code, "\(method) of \(type(of: object)) threw an error: \(error)", subject: text,
        at: .byte(component.position), underlying: error)
    }
    return placed(error, at: component)
  }

  /// The error of a key as an error of the path.
  func placed(_ error: KeyValueError, at component: Component) -> KeyValueError {
    KeyValueError(
      error.code, error.message, subject: text,
      at: .byte(component.position + (error.position ?? 0)), underlying: error.underlyingError)
  }

  func foreign(
    _ key: AnyKeyPath, of object: any KeyValueCoding, _ component: Component
  ) -> KeyValueError {
    error(
      .foreignKeyPath, at: component,
      "the keys of \(type(of: object)) list \"\(component.name)\" with a key path of "
        + "\(type(of: key).rootType); list one that begins at the class")
  }

  func withoutKeys(_ value: Any, _ component: Component) -> KeyValueError {
    error(
      .noKeys, at: component,
      "\(type(of: value)) has no keys, thus no \(KeyValueError.quoted(component.name)); "
        + "links are objects that are KeyValueCoding, and dictionaries with strings as keys")
  }

  func throughCollection(_ component: Component) -> KeyValueError {
    error(
      .pathThroughCollection, at: component,
      "\(KeyValueError.quoted(component.name)) is a key of a collection's members; write an "
        + "operator before it, such as @unionOfObjects, or use the members themselves")
  }

  func typeMismatch(
    _ expected: Any.Type, _ value: Any?, _ component: Component? = nil
  ) -> KeyValueError {
    let component = component ?? components[0]
    let given = withoutOptionals(value).map { "\(type(of: $0))" } ?? "nil"
    return error(
      .typeMismatch, at: component, "\"\(component.name)\" takes \(expected), not \(given)")
  }
}
