internal import Invocations

/// Why a recording cannot be read or replayed: a code, a message with the remedy, and the place.
public struct RecordingError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The code's stable name.
    public let rawValue: String

    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A file that cannot be opened or read, or is no regular file.
    public static let unreadableFile = Code(rawValue: "unreadableFile")
    /// Bytes that do not begin as a recording does.
    public static let notARecording = Code(rawValue: "notARecording")
    /// A version of the format that this library does not know.
    public static let unknownVersion = Code(rawValue: "unknownVersion")
    /// A recording that ends inside a record.
    public static let truncated = Code(rawValue: "truncated")
    /// A record whose bytes are not those that were written.
    public static let damaged = Code(rawValue: "damaged")
    /// A record of a kind that the version does not have, or at a wrong place.
    public static let unexpectedRecord = Code(rawValue: "unexpectedRecord")
    /// A signature that is malformed, or whose values cannot be passed.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// A value that its type does not have, or that does not fill its record.
    public static let invalidValue = Code(rawValue: "invalidValue")
    /// Values with far more parts than the recording has bytes.
    public static let tooManyParts = Code(rawValue: "tooManyParts")
    /// A block or function whose signature is not the recorded one.
    public static let signatureMismatch = Code(rawValue: "signatureMismatch")
    /// A subject that is not given where there are several, or is not in the recording.
    public static let unknownSubject = Code(rawValue: "unknownSubject")
  }

  /// The kind of failure.
  public let code: Code

  /// What is wrong, and how to mend it.
  public let message: String

  /// Where in the recording, in bytes from its start; nil where it is no place.
  public let offset: Int?

  init(_ code: Code, _ message: String, at offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  /// The same error, with what whoever reads a recording can do about it.
  func withRemedy() -> RecordingError {
    let remedy =
      switch code {
      case .notARecording: "give a file that a CallRecorder wrote"
      case .unknownVersion: "read it with the version of the library that wrote it"
      case .truncated: "record again, or read the whole records by `allowsTruncation: true`"
      default: "record the calls again"
      }
    return RecordingError(code, "\(message); \(remedy)", at: offset)
  }
}

extension RecordingError: DamageError {
  package static func truncated(_ message: String, at offset: Int) -> RecordingError {
    RecordingError(.truncated, message, at: offset)
  }

  package static func invalidValue(_ message: String, at offset: Int) -> RecordingError {
    RecordingError(.invalidValue, message, at: offset)
  }
}

extension RecordingError: CustomStringConvertible {
  /// The message, led by the code and the place.
  public var description: String {
    "\(code.rawValue)\(offset.map { " at byte \($0)" } ?? ""): \(message)"
  }
}
