public import Invocations
public import TypeEncodings

/// Recorded calls, read from a file or from memory: what was called with what, and what came of it.
///
/// Everything is checked when the value is made, which takes memory in proportion to the bytes,
/// whatever they are. The article Recordings of `BlockRuntime` describes the format.
public struct Recording: Sendable {
  /// A block whose calls were recorded.
  public struct Subject: Hashable, Sendable {
    /// The name given when recording began.
    public let name: String

    /// The block's signature; argument 0 is the block itself.
    public let signature: MethodSignature

    /// The subject's place among `subjects`.
    public let index: Int
  }

  /// One recorded call.
  public struct Call: @unchecked Sendable {
    // SAFETY: decoded values contain numbers, text and bytes, but no object and no block.

    /// The subject that was called.
    public let subject: Subject

    /// The call's number among all calls of the recorder, from 1, in the order they began.
    public let number: UInt64

    /// The own arguments, as they came in.
    public let arguments: [CValue]

    /// The result as it went out; nil where there was none.
    public let result: CValue?

    /// The error that the call threw; nil where it returned.
    public let error: RecordedError?
  }

  /// The blocks, in the order that their recording began.
  public let subjects: [Subject]

  /// The calls, in the order that they returned or threw.
  public let calls: [Call]

  /// How many calls the recorder dropped before it was closed; nil if it was not closed.
  public let droppedCount: Int?

  /// Whether the recorder was closed: no call is missing at the end.
  public var isComplete: Bool { droppedCount != nil }

  /// Makes the errors that calls throw which are answered from the recording.
  private(set) var makeError: @Sendable (RecordedError) -> (any Error)? = { $0 }

  /// The same recording, which answers calls with errors of the callers' own types.
  ///
  /// - Parameter makeError: Makes an error of a recorded one; nil throws the recorded one. It runs
  ///   for each call that threw, when the answering hook is installed.
  /// - Returns: The recording.
  public func throwing(
    _ makeError: @escaping @Sendable (RecordedError) -> (any Error)?
  ) -> Recording {
    var recording = self
    recording.makeError = makeError
    return recording
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - allowsTruncation: Whether a file that ends inside a record, as after a crash, is read up
  ///     to there.
  /// - Throws: `unreadableFile`, and as `init(bytes:allowsTruncation:)`.
  public init(path: String, allowsTruncation: Bool = false) throws(RecordingError) {
    try self.init(
      bytes: try RecordingFile.bytes(path), allowsTruncation: allowsTruncation)
  }

  /// Reads bytes.
  ///
  /// - Parameters:
  ///   - bytes: The recording.
  ///   - allowsTruncation: Whether bytes that end inside a record are read up to there.
  /// - Throws: `notARecording`, `unknownVersion`, `truncated`, `damaged`, `unexpectedRecord`,
  ///   `invalidSignature`, `invalidValue`, `tooManyParts`.
  public init(bytes: [UInt8], allowsTruncation: Bool = false) throws(RecordingError) {
    var reader = RecordingReader(bytes)
    do throws(RecordingError) {
      try reader.readAll(allowsTruncation: allowsTruncation)
    } catch {
      throw error.withRemedy()
    }
    subjects = reader.subjects.map(\.subject)
    calls = reader.calls
    droppedCount = reader.droppedCount
  }
}

extension Recording.Call: CustomStringConvertible {
  /// The name with the arguments and the result, or the error.
  public var description: String {
    let arguments = arguments.map(\.description).joined(separator: ", ")
    let call = "\(subject.name)(\(arguments))"
    let ending = error.map { " threw \($0)" } ?? result.map { " = \($0)" } ?? ""
    return (call + ending).onOneLine
  }
}
