/// Why an object's lifetime cannot be followed: a code, and a message with the remedy.
public struct LifetimeError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An object whose last reference is gone.
    public static let objectIsDying = Code(rawValue: "objectIsDying")
    /// Something that is an object, but of no Swift class: a block.
    public static let unsupportedObject = Code(rawValue: "unsupportedObject")
    /// A class whose metadata cannot be written.
    public static let protectedMemory = Code(rawValue: "protectedMemory")
    /// Memory that could not be allocated.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension LifetimeError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
