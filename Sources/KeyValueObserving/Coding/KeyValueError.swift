/// Why a key, a key path or a place cannot be used: a code, and a message with the remedy.
public struct KeyValueError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A string that is no key path: an empty key.
    public static let invalidKeyPath = Code(rawValue: "invalidKeyPath")
    /// A key that the object's class does not list: `NSUndefinedKeyException`.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// A key whose key path belongs to another class.
    public static let foreignKeyPath = Code(rawValue: "foreignKeyPath")
    /// An operator that does not exist.
    public static let unknownOperator = Code(rawValue: "unknownOperator")
    /// A value of another type than the key or the operator takes, or nil where there must be one.
    public static let typeMismatch = Code(rawValue: "typeMismatch")
    /// A key that cannot be set.
    public static let readOnly = Code(rawValue: "readOnly")
    /// A link that is nil where something is to be set.
    public static let nilLink = Code(rawValue: "nilLink")
    /// A link that has no keys.
    public static let noKeys = Code(rawValue: "noKeys")
    /// A key of a collection's members where only an operator can stand.
    public static let pathThroughCollection = Code(rawValue: "pathThroughCollection")
    /// An operator on something that is no collection.
    public static let notACollection = Code(rawValue: "notACollection")
    /// A sum of integers that is no `Int`.
    public static let overflow = Code(rawValue: "overflow")
    /// Collections within collections without end.
    public static let tooManyMembers = Code(rawValue: "tooManyMembers")
    /// A place outside of a collection.
    public static let indexOutOfRange = Code(rawValue: "indexOutOfRange")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  /// The whole key path; empty if it has nothing to do with one.
  public let keyPath: String

  /// Where in the key path the offending key begins, in UTF-8 bytes; of `indexOutOfRange` the index.
  public let position: Int?

  package init(_ code: Code, _ message: String, keyPath: String = "", position: Int? = nil) {
    self.code = code
    self.message = message
    self.keyPath = keyPath
    self.position = position
  }
}

extension KeyValueError: CustomStringConvertible {
  /// The message, led by the code, with the place in the key path.
  public var description: String {
    let hasPlace = !keyPath.isEmpty || code != .indexOutOfRange
    let place = hasPlace ? position.map { " (\(Self.quoted(keyPath)), at \($0))" } ?? "" : ""
    return "\(code.rawValue): \(message)\(place)"
  }

  /// A name in quotes, cut off if it is long.
  static func quoted(_ name: String) -> String {
    name.utf8.count <= 80 ? "\"\(name)\"" : "\"\(name.prefix(40))…\""
  }
}
