/// Why a key, a key path or a place cannot be used: a code, and a message with the remedy.
public struct KeyValueError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A place outside of an array.
    public static let indexOutOfRange = Code(rawValue: "indexOutOfRange")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  /// The key path that was given.
  public let keyPath: String

  /// The offset in it, in UTF-8, of what is wrong; or the index that is.
  public let position: Int?

  init(_ code: Code, _ message: String, keyPath: String = "", position: Int? = nil) {
    self.code = code
    self.message = message
    self.keyPath = keyPath
    self.position = position
  }
}
