internal import BlockABI
public import BlockHooks
internal import Invocations
internal import TypeEncodings

/// What happens to a call that no recorded call can answer.
public enum UnrecordedCalls: Sendable, Hashable {
  /// The sender of a message gets an error, `unrecordedCall`; other callers get zero, or null, and
  /// `onError` the error. The original does not run.
  case failing
  /// The original runs.
  case proceeding
}

extension HandleDefinition<Playback> {
  /// A hook that answers calls from a recording, without running the original: a test double.
  ///
  /// A call is answered by the first recorded call with the same arguments, in the order in which
  /// they began, and each recorded call answers once: equal calls get the recorded results one
  /// after the other. Arguments are compared as `Recording.replay(on:)` compares results; pointers,
  /// objects and blocks without a codec, which are only described, are the same if both or neither
  /// are null. A method's receiver and selector are not compared. What the original did besides
  /// returning, such as calling a block among the arguments or writing to memory, is not done.
  ///
  /// A recorded call that threw throws its `RecordedError`, or the error that
  /// `Recording.throwing(_:)` makes of that. Results and errors are made when the hook is
  /// installed. The hook may be installed on every message, where each method is answered by the
  /// calls of its name, but not on every block. Calls may come from any thread; a call that is not
  /// the next recorded one takes time in proportion to the calls before its own.
  ///
  /// - Parameters:
  ///   - recording: The recording.
  ///   - subject: The subject whose calls answer; if not given, the only subject of the target's
  ///     name, or of the recording.
  ///   - repeating: Whether the last of equal calls answers again when all are used.
  ///   - ignored: The indices of arguments that are not compared, hidden ones counted.
  ///   - unrecorded: What happens to a call that no recorded call can answer.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are answered; all if not given.
  ///   - codec: Decodes the values that a codec wrote, and encodes arguments to compare them.
  ///   - onError: Receives `unrecordedCall` where callers get no errors; written to standard error
  ///     if not given.
  /// - Returns: The definition, whose installation throws also `unknownSubject`,
  ///   `signatureMismatch`, and `notReplayable` for a result that is described only, and for a call
  ///   that threw where callers get no errors.
  public static func answering(
    from recording: Recording, subject: Recording.Subject? = nil, repeating: Bool = false,
    ignoring ignored: Set<Int> = [], unrecorded: UnrecordedCalls = .failing, priority: Int = 0,
    when conditions: HookConditions = .always, codec: RecordingCodec? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError
  ) -> HandleDefinition {
    HandleDefinition {
      let playback = Playback()
      // The handler is made at the installation.
      var definition = HookDefinition(
        name: "answer", priority: priority, when: conditions, onError: onError
      ) { _ in }
      definition.refusalOfEveryBlock = {
        HookError(
          .unknownSubject,
          "blocks of one code have captures of their own, on which their results depend; answer the "
            + "calls of each block")
      }
      definition.prepare = { definition, point throws(HookError) in
        try point.requireFixedArguments()
        do throws(RecordingError) {
          let double = try TestDouble(recording, subject, point, codec, repeating)
          playback.add(double.answers)
          let canThrow = point.canThrow
          definition.handler = { call in
            switch double.answer(to: call, ignoring: ignored) {
            case .nothing: break
            case .result(let result): try call.setResultValue(result)
            case .error(let error): try call.setError(error)
            case nil where unrecorded == .proceeding: try call.proceed()
            case nil:
              let error = double.error(call)
              if canThrow { try call.setError(error) } else { onError(error) }
            }
          }
        } catch {
          throw HookError(passing: error)
        }
      }
      return (definition, playback)
    }
  }
}

/// Answers the calls of one target.
private struct TestDouble: Sendable {
  let answers: RecordedAnswers
  private let name: String
  private let writer: CallWriter
  private let layouts: RecordingReader.Layouts

  /// - Throws: `unknownSubject`, `signatureMismatch`, `notReplayable`.
  init(
    _ recording: Recording, _ subject: Recording.Subject?, _ point: borrowing InstallationPoint,
    _ codec: RecordingCodec?, _ repeating: Bool
  ) throws(RecordingError) {
    let signature = point.interface.signature
    name = point.recordedName
    let subject = try recording.chosen(subject, named: name)
    try recording.requireSame(subject.signature, signature, "target")
    let codec = codec ?? RecordingCodec(textOf: signature)
    writer = CallWriter(subject: 0, codec: codec)
    do {
      layouts = try RecordingReader.Layouts(
        Recording.Subject(name: name, signature: signature, index: 0),
        usesStructReturn: point.block?.structReturnFlag)
    } catch {
      throw RecordingError(passing: error)
    }
    let calls = recording.calls(of: subject)
    let sample = Invocation(checking: point.interface)
    answers = RecordedAnswers(
      calls,
      try calls.map { recorded throws(RecordingError) in
        if let error = recorded.error {
          guard point.canThrow else {
            throw RecordingError(
              .notReplayable,
              "call \(recorded.number), \(recorded), cannot answer: only the sender of a message "
                + "receives an error; answer a method")
          }
          return .error(recording.makeError(error) ?? error)
        }
        guard let result = recorded.result else { return .nothing }
        do {
          guard let result = signature.result.result(try result.replayable(codec, nil)) else {
            throw NotReplayable(reason: "the result is no \(signature.result)")
          }
          try sample.setResultValue(result)
          return .result(result)
        } catch {
          throw RecordingError(
            .notReplayable,
            "call \(recorded.number), \(recorded), cannot answer: "
              + "\((error as? NotReplayable)?.reason ?? "\(error)"); record and answer with a codec"
          )
        }
      }, repeating: repeating)
  }

  /// Finds the answer to a call.
  ///
  /// - Returns: The answer; nil if no recorded call is the same.
  func answer(
    to call: borrowing CallFrame, ignoring ignored: Set<Int>
  ) -> RecordedAnswers.Answer? {
    let arguments = arguments(of: call)
    return answers.take { recorded in
      guard let arguments else { return false }
      // A method's receiver and selector are recorded, and not compared.
      return zip(recorded.suffix(ownCount), arguments.suffix(ownCount)).enumerated().allSatisfy {
        ignored.contains($0 + hiddenCount) || $1.0.isSameResult(as: $1.1, writer.codec)
      }
    }
  }

  private var hiddenCount: Int { layouts.subject.signature.form.hiddenCount }
  private var ownCount: Int { layouts.subject.signature.arguments.count - hiddenCount }

  /// The arguments of a call as they would be read from its record.
  private func arguments(of call: borrowing CallFrame) -> [CValue]? {
    guard let bytes = writer.arguments(of: call) else { return nil }
    var decoder = ValueDecoder(reader: ByteReader(bytes[...]), partsLeft: .max)
    return try? layouts.arguments(&decoder)
  }

  func error(_ call: borrowing CallFrame) -> RecordingError {
    RecordingError(
      .unrecordedCall,
      "no recorded call is left that answers `\(name)` of \(call.argumentTexts); record it, let calls "
        + "answer again by `repeating: true`, or pass `unrecorded: .proceeding`")
  }
}
