/// A parsed string key path: keys and operators, separated by dots.
struct StringKeyPath: Sendable {
  struct Component: Sendable {
    let name: String
    /// The offset in the string, in UTF-8 bytes.
    let position: Int
    /// The operator, if the name begins with `@`.
    let operation: CollectionOperator?
  }

  let text: String
  let components: [Component]

  /// Creates a path of a single key, which may contain any characters.
  init(key: String) {
    text = key
    components = [Component(name: key, position: 0, operation: nil)]
  }

  /// Parses a string.
  ///
  /// - Throws: `KeyValueError` if a key is empty, or an operator is unknown.
  init(_ text: String) throws(KeyValueError) {
    var components: [Component] = []
    var position = 0
    for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard let first = part.first else {
        throw KeyValueError(
          .invalidKeyPath, "a key is missing; write keys with one dot between two of them",
          subject: text, at: .byte(position))
      }
      let name = String(Substring(part))
      var operation: CollectionOperator?
      if first == UInt8(ascii: "@") {
        operation = CollectionOperator(rawValue: String(Substring(part.dropFirst())))
        guard operation != nil else {
          let known = CollectionOperator.allCases.map { "@\($0)" }.joined(separator: ", ")
          throw KeyValueError(
            .unknownOperator,
            "there is no operator \(KeyValueError.quoted(name)); the operators are \(known)",
            subject: text, at: .byte(position))
        }
      }
      components.append(Component(name: name, position: position, operation: operation))
      position += part.count + 1
    }
    self.text = text
    self.components = components
  }

  /// Creates an error with the path, at one of its keys.
  func error(
    _ code: ErrorCode, at component: Component, _ message: String
  ) -> KeyValueError {
    KeyValueError(code, message, subject: text, at: .byte(component.position))
  }
}
