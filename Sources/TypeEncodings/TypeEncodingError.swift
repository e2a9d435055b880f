/// Why an encoding was refused: a code, a message with the remedy, the input and the place in it.
public struct TypeEncodingError: Error, Hashable, Sendable {
  /// The kinds of refusal; the list is closed within a major version.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name, as programs see it.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The parts, behind one reference: errors pass through many frames of recursive functions.
  private let parts: Parts

  private final class Parts: Sendable {
    let code: Code
    let message: String
    let input: String
    let offset: Int?

    init(code: Code, message: String, input: String, offset: Int?) {
      self.code = code
      self.message = message
      self.input = input
      self.offset = offset
    }
  }

  /// The kind of refusal.
  public var code: Code { parts.code }

  /// What is wrong, and how to mend it.
  public var message: String { parts.message }

  /// The encoding that was refused, at most its first 200 bytes.
  public var input: String { parts.input }

  /// The byte offset in the encoding at which it went wrong, where there is one.
  public var offset: Int? { parts.offset }

  /// Creates an error, keeping the first 200 bytes of the input.
  ///
  /// - Parameters:
  ///   - code: The kind of refusal.
  ///   - message: What is wrong, and how to mend it.
  ///   - input: The encoding that was refused, of any length.
  ///   - offset: The byte offset at which it went wrong, where there is one.
  public init(code: Code, message: String, input: String, offset: Int? = nil) {
    parts = Parts(code: code, message: message, input: Self.capped(input), offset: offset)
  }

  /// Whether two errors have the same code, message, input and offset.
  public static func == (left: TypeEncodingError, right: TypeEncodingError) -> Bool {
    left.code == right.code && left.offset == right.offset && left.message == right.message
      && left.input == right.input
  }

  /// Feeds the code, message, input and offset into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(input)
    hasher.combine(offset)
  }

  /// The longest prefix of whole Unicode scalars that has at most 200 bytes.
  private static func capped(_ text: String) -> String {
    let limit = 200
    guard text.utf8.count > limit else { return text }
    var bytes = text.utf8.prefix(limit + 1)
    // The cut must fall before a byte that starts a scalar.
    while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
    bytes.removeLast()
    return String(Substring(bytes))
  }
}

extension TypeEncodingError: CustomStringConvertible {
  /// The code, the place, the input and the message, in one line.
  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    let subject = input.isEmpty ? "" : " in \"\(input)\""
    return "\(code.rawValue)\(place)\(subject): \(message)"
  }
}
