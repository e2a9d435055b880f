@_exported public import BlockRuntimeErrors

/// Why a key, a key path or a place cannot be used.
public struct KeyValueError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A string that is no key path: an empty key.
  public static let invalidKeyPath = ErrorCode(rawValue: "invalidKeyPath")

  /// A key that the object's class does not list: `NSUndefinedKeyException`.
  public static let unknownKey = ErrorCode(rawValue: "unknownKey")

  /// A key whose key path belongs to another class.
  public static let foreignKeyPath = ErrorCode(rawValue: "foreignKeyPath")

  /// An operator that does not exist.
  public static let unknownOperator = ErrorCode(rawValue: "unknownOperator")

  /// A key that cannot be set.
  public static let readOnly = ErrorCode(rawValue: "readOnly")

  /// A link that is nil where something is to be set.
  public static let nilLink = ErrorCode(rawValue: "nilLink")

  /// A link that has no keys.
  public static let noKeys = ErrorCode(rawValue: "noKeys")

  /// A key of a collection's members where only an operator can stand.
  public static let pathThroughCollection = ErrorCode(rawValue: "pathThroughCollection")

  /// An operator on something that is no collection.
  public static let notACollection = ErrorCode(rawValue: "notACollection")

  /// A sum of integers that is no `Int`.
  public static let overflow = ErrorCode(rawValue: "overflow")

  /// Collections within collections without end.
  public static let tooManyMembers = ErrorCode(rawValue: "tooManyMembers")

  /// A place outside of a collection.
  public static let indexOutOfRange = ErrorCode(rawValue: "indexOutOfRange")
}

extension KeyValueError {
  /// The whole key path; empty if the failure has nothing to do with one.
  public var keyPath: String { subject ?? "" }

  /// Where in the key path the offending key begins, in UTF-8 bytes; of `indexOutOfRange` the index.
  public var position: Int? {
    switch place {
    case .byte(let offset): offset
    case .element(let index): index
    case .argument, nil: nil
    }
  }

  /// A name in quotes, cut off if it is long.
  static func quoted(_ name: String) -> String {
    name.utf8.count <= 80 ? "\"\(name)\"" : "\"\(name.prefix(40))…\""
  }
}
