/// A key path of a string, taken apart: keys and operators with dots between them.
struct StringKeyPath: Sendable {
  struct Component: Sendable {
    let name: String
    /// Where it begins, in UTF-8 bytes.
    let position: Int
    /// What it is, if it begins with `@`.
    let operation: CollectionOperator?
  }

  let text: String
  let components: [Component]

  /// A single key, whatever letters it has.
  init(key: String) {
    text = key
    components = [Component(name: key, position: 0, operation: nil)]
  }

  /// Takes a string apart.
  ///
  /// - Throws: `KeyValueError` if a key is empty, or an operator unknown.
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

  /// An error that names the path and one of its keys.
  func error(
    _ code: ErrorCode, at component: Component, _ message: String
  ) -> KeyValueError {
    KeyValueError(code, message, subject: text, at: .byte(component.position))
  }
}
