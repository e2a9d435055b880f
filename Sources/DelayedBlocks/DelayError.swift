/// Why a delayed block was refused: a code, and a message with the remedy.
public struct DelayError: Error, Hashable, Sendable {
  /// The kinds of refusal.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An interval that is shorter than a nanosecond.
    public static let invalidInterval = Code(rawValue: "invalidInterval")
  }

  /// The kind of refusal.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension DelayError: CustomStringConvertible {
  /// The message, led by the code.
  public var description: String { "\(code.rawValue): \(message)" }
}
