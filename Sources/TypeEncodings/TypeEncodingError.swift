@_exported public import BlockRuntimeErrors

/// Why an encoding was refused: the subject is the encoding, at most its first 200 bytes.
public struct TypeEncodingError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension TypeEncodingError {
  /// The encoding that was refused, at most its first 200 bytes.
  public var input: String { subject ?? "" }

  /// The byte offset in the encoding at which it went wrong, where there is one.
  public var offset: Int? { place?.byte }

  /// Creates an error, keeping the first 200 bytes of the input.
  ///
  /// - Parameters:
  ///   - code: The kind of refusal.
  ///   - message: What is wrong, and how to mend it.
  ///   - input: The encoding that was refused, of any length.
  ///   - offset: The byte offset at which it went wrong, where there is one.
  public init(code: ErrorCode, message: String, input: String, offset: Int? = nil) {
    self.init(code, message, subject: Self.capped(input), at: offset.map { .byte($0) })
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
