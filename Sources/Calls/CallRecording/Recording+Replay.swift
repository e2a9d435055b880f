public import BlockABI
public import Invocations
internal import TypeEncodings

extension Recording {
  /// Calls a block with recorded arguments, and compares the results.
  ///
  /// Calls are made one after the other, in the order in which they began, on this thread. Text
  /// lives for the duration of its call. Floating-point results are the same if their bits are, or
  /// if both are NaN; text is compared by content, and unions by their bytes, padding included;
  /// values that were only described are the same if both or neither are null. Blocks and functions
  /// throw nothing, so a recorded call of a method that threw differs.
  ///
  /// - Parameters:
  ///   - block: The block; its hooks run, too.
  ///   - subject: The subject whose calls are made; nil if the recording has only one.
  ///   - codec: Decodes the values that a codec wrote, and encodes results to compare them.
  /// - Returns: What became of each call.
  /// - Throws: `unknownSubject`, `signatureMismatch`; `noSignature`, `invalidSignature` or
  ///   `unsupportedType` for a block that cannot be called.
  public func replay(
    on block: Block, subject: Subject? = nil, codec: RecordingCodec? = nil
  ) throws(RecordingError) -> ReplayReport {
    let signature: MethodSignature
    do { signature = try block.callInterface.signature } catch {
      throw RecordingError(passing: error)
    }
    return try replay(subject, codec, signature, "block") { arguments throws(InvocationError) in
      try block.call(values: arguments)
    }
  }

  /// Calls a C function with recorded arguments, and compares the results.
  ///
  /// All else is as in `replay(on:subject:codec:)` for blocks.
  ///
  /// - Parameters:
  ///   - function: The function; it takes the arguments of the recorded block without the block
  ///     itself.
  ///   - subject: The subject whose calls are made; nil if the recording has only one.
  ///   - codec: Decodes the values that a codec wrote, and encodes results to compare them.
  /// - Returns: What became of each call.
  /// - Throws: `unknownSubject`, `signatureMismatch`.
  public func replay(
    on function: CFunction, subject: Subject? = nil, codec: RecordingCodec? = nil
  ) throws(RecordingError) -> ReplayReport {
    try replay(subject, codec, function.signature, "function") {
      arguments throws(InvocationError) in try function.call(values: arguments)
    }
  }

  private func replay(
    _ subject: Subject?, _ codec: RecordingCodec?, _ signature: MethodSignature, _ target: String,
    _ call: ([CValue]) throws(InvocationError) -> CValue
  ) throws(RecordingError) -> ReplayReport {
    let subject = try chosen(subject)
    let codec = codec ?? RecordingCodec(textOf: subject.signature)
    try requireSame(subject.signature, signature, target)
    var replayed: [ReplayReport.ReplayedCall] = []
    for recorded in calls(of: subject) {
      replayed.append(
        ReplayReport.ReplayedCall(
          call: recorded, outcome: Self.outcome(of: recorded, codec, call)))
    }
    return ReplayReport(calls: replayed)
  }

  /// The calls of a subject, in the order in which they began.
  func calls(of subject: Subject) -> [Call] {
    calls.filter { $0.subject == subject }.sorted { $0.number < $1.number }
  }

  /// Chooses a subject: the given one, or else the only one of a name, or else the only one of all.
  ///
  /// - Throws: `unknownSubject`.
  func chosen(_ subject: Subject?, named name: String? = nil) throws(RecordingError) -> Subject {
    if let subject {
      guard subjects.contains(subject) else {
        throw RecordingError(
          .unknownSubject,
          "\(subject.name) is no subject of this recording; take one of its `subjects`")
      }
      return subject
    }
    let named = subjects.filter { $0.name == name }
    if named.count == 1 { return named[0] }
    guard let only = subjects.first, subjects.count == 1 else {
      let names = subjects.map(\.name).joined(separator: ", ")
      throw RecordingError(
        .unknownSubject,
        "the recording has \(subjects.count) subjects\(names.isEmpty ? "" : " (\(names))"); say whose "
          + "calls to replay")
    }
    return only
  }

  /// - Throws: `signatureMismatch`.
  func requireSame(
    _ recorded: MethodSignature, _ given: MethodSignature, _ target: String
  ) throws(RecordingError) {
    var (recorded, given) = (recorded, given)
    // A function takes no block, and no receiver: then own arguments are compared.
    if recorded.form != given.form {
      recorded.arguments.removeFirst(recorded.form.hiddenCount)
      given.arguments.removeFirst(given.form.hiddenCount)
    }
    let differences = given.differences(from: recorded, ours: target, theirs: "recording")
    guard differences.isEmpty else {
      throw RecordingError(
        .signatureMismatch,
        "the \(target) is not what was recorded: "
          + differences.map(\.description).joined(separator: "; "))
    }
  }

  private static func outcome(
    of recorded: Call, _ codec: RecordingCodec,
    _ call: ([CValue]) throws(InvocationError) -> CValue
  ) -> ReplayReport.Outcome {
    let hidden = recorded.subject.signature.form == .block ? 1 : 0
    var arguments: [CValue] = []
    for (index, argument) in recorded.arguments.enumerated() {
      do {
        arguments.append(try argument.replayable(codec, index + hidden))
      } catch {
        return .skipped(reason: "argument \(index + hidden): \(error.reason)")
      }
    }
    let result: CValue
    do { result = try call(arguments) } catch { return .skipped(reason: error.message) }
    if let error = recorded.error {
      return .differs(expected: "threw \(error)", got: result.description.onOneLine)
    }
    guard let expected = recorded.result, !expected.isSameResult(as: result, codec) else {
      return .matched
    }
    return .differs(expected: expected.description.onOneLine, got: result.description.onOneLine)
  }
}
