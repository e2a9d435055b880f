@_exported public import BlockRuntimeErrors
public import Invocations

/// Why calls cannot be recorded, or a recording not be read or replayed.
public struct RecordingError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// A recording that cannot be written.
  public static let recordingFailed = ErrorCode(rawValue: "recordingFailed")

  /// A file that cannot be opened or read, or is no regular file.
  public static let unreadableFile = ErrorCode(rawValue: "unreadableFile")

  /// Bytes that do not begin as a recording does.
  public static let notARecording = ErrorCode(rawValue: "notARecording")

  /// A version of the format that this library does not know.
  public static let unknownVersion = ErrorCode(rawValue: "unknownVersion")

  /// A recording that ends inside a record.
  public static let truncated = ErrorCode(rawValue: "truncated")

  /// A record whose bytes are not those that were written.
  public static let damaged = ErrorCode(rawValue: "damaged")

  /// A record of a kind that the version does not have, or at a wrong place.
  public static let unexpectedRecord = ErrorCode(rawValue: "unexpectedRecord")

  /// Values with far more parts than the recording has bytes.
  public static let tooManyParts = ErrorCode(rawValue: "tooManyParts")

  /// A block or function whose signature is not the recorded one.
  public static let signatureMismatch = ErrorCode(rawValue: "signatureMismatch")

  /// A recorded result that can answer no call, because it is only described.
  public static let notReplayable = ErrorCode(rawValue: "notReplayable")

  /// A call that no recorded call can answer.
  public static let unrecordedCall = ErrorCode(rawValue: "unrecordedCall")

  /// A subject that is not given where there are several, or is not in the recording.
  public static let unknownSubject = ErrorCode(rawValue: "unknownSubject")
}

extension RecordingError {
  /// The place of the error in the recording, in bytes from its start; nil if it has none.
  public var offset: Int? { place?.byte }

  init(_ code: ErrorCode, _ message: String, at offset: Int) {
    self.init(code, message, at: .byte(offset))
  }

  /// The same error, with what a reader of recordings can do about it.
  func withRemedy() -> RecordingError {
    let remedy =
      switch code {
      case .notARecording: "give a file that a CallRecorder wrote"
      case .unknownVersion: "read it with the version of the library that wrote it"
      case .truncated: "record again, or read the whole records by `allowsTruncation: true`"
      default: "record the calls again"
      }
    return RecordingError(code, "\(message); \(remedy)", at: place)
  }
}

extension RecordingError: DamageError {
  @usableFromInline
  package static func truncated(_ message: String, at offset: Int) -> RecordingError {
    RecordingError(.truncated, message, at: offset)
  }

  @usableFromInline
  package static func invalidValue(_ message: String, at offset: Int) -> RecordingError {
    RecordingError(.invalidValue, message, at: offset)
  }
}
