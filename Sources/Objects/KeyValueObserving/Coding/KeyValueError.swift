@_exported public import BlockRuntimeErrors

/// An error of a key, a key path or an index that cannot be used.
public struct KeyValueError: BlockRuntimeError {
  /// The parts of the error.
  public let details: ErrorDetails

  /// Creates an error from the parts of another error.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A string that is not a key path, because a key is empty.
  public static let invalidKeyPath = ErrorCode(rawValue: "invalidKeyPath")

  /// A key that the object's class does not list: `NSUndefinedKeyException`.
  public static let unknownKey = ErrorCode(rawValue: "unknownKey")

  /// A key whose key path belongs to another class.
  public static let foreignKeyPath = ErrorCode(rawValue: "foreignKeyPath")

  /// An operator that does not exist.
  public static let unknownOperator = ErrorCode(rawValue: "unknownOperator")

  /// A key that cannot be set.
  public static let readOnly = ErrorCode(rawValue: "readOnly")

  /// A value on the path that is nil, so that no key of it can be set.
  public static let nilLink = ErrorCode(rawValue: "nilLink")

  /// A value on the path that has no keys.
  public static let noKeys = ErrorCode(rawValue: "noKeys")

  /// A key of a collection's members where only an operator is allowed.
  public static let pathThroughCollection = ErrorCode(rawValue: "pathThroughCollection")

  /// An operator on a value that is not a collection.
  public static let notACollection = ErrorCode(rawValue: "notACollection")

  /// A sum of integers that does not fit into an `Int`.
  public static let overflow = ErrorCode(rawValue: "overflow")

  /// Nested collections with too many levels or members.
  public static let tooManyMembers = ErrorCode(rawValue: "tooManyMembers")

  /// An index outside of a collection.
  public static let indexOutOfRange = ErrorCode(rawValue: "indexOutOfRange")
}

extension KeyValueError {
  /// The whole key path; empty if the error is not about a key path.
  public var keyPath: String { subject ?? "" }

  /// The offset of the invalid key in the key path, in UTF-8 bytes; for `indexOutOfRange`, the
  /// index.
  public var position: Int? {
    switch place {
    case .byte(let offset): offset
    case .element(let index): index
    case .argument, nil: nil
    }
  }

  /// Checks that an array has an index.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - count: The number of elements.
  ///   - isEnd: Whether the index after the last element is allowed too.
  ///   - path: The key path of the array; nil without one.
  /// - Throws: `indexOutOfRange`.
  static func check(
    _ index: Int, in count: Int, isEnd: Bool = false, of path: String? = nil
  ) throws(KeyValueError) {
    guard index < 0 || index >= (isEnd ? count + 1 : count) else { return }
    let limit = isEnd ? "0 to \(count)" : count == 0 ? "none: it is empty" : "0 to \(count - 1)"
    throw KeyValueError(
      .indexOutOfRange, "index \(index) is not in the array; its indexes are \(limit)",
      subject: path, at: .element(index))
  }

  /// The error of an array that an observer's prior call has changed.
  static func moved(_ index: Int, of path: String? = nil) -> KeyValueError {
    KeyValueError(
      .indexOutOfRange,
      "an observer changed the array's length before the change at index \(index); "
        + "change the array in one place", subject: path, at: .element(index))
  }

  /// A name in quotes, truncated if it is long.
  static func quoted(_ name: String) -> String {
    name.utf8.count <= 80 ? "\"\(name)\"" : "\"\(name.prefix(40))…\""
  }
}
