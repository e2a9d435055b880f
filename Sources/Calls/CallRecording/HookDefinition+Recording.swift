internal import BlockABI
public import BlockHooks
internal import Invocations
private import TypeEncodings

extension HookDefinition {
  /// A hook that records calls: the arguments as they come in, and the result as it goes out.
  ///
  /// Several targets may share a recorder. Outer hooks change what is recorded, inner hooks are
  /// part of it. A call is recorded when it returns or throws; a call of an async method, each time
  /// that its answer has been awaited. Of an error its type and its description are recorded.
  /// Numbers, text, records and unions of them are recorded so that they can be replayed; pointers,
  /// objects, blocks, and unions that may hold them, are described, unless a codec writes them.
  ///
  /// - Parameters:
  ///   - recorder: Receives the calls; the hook keeps it. If it cannot write, the installation
  ///     throws `recordingFailed`.
  ///   - name: The target's name in the recording; if not given, the name of its code, or of the
  ///     function or method.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are recorded; all if not given.
  ///   - codec: Writes the values that would only be described.
  /// - Returns: The hook, for any target.
  public static func recording(
    to recorder: CallRecorder, as name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, codec: RecordingCodec? = nil
  ) -> HookDefinition {
    // The handler is made at the installation.
    var definition = HookDefinition(name: "record", priority: priority, when: conditions) { _ in }
    definition.prepare = { definition, point throws(HookError) in
      try point.requireFixedArguments()
      let subject: UInt32
      do throws(RecordingError) {
        subject = try recorder.addSubject(
          name: name ?? point.recordedName, signature: point.interface.signature.description,
          usesStructReturn: point.block?.structReturnFlag)
      } catch {
        throw HookError(passing: error)
      }
      let writer = CallWriter(
        subject: subject, codec: codec ?? RecordingCodec(textOf: point.interface.signature))
      definition.handler = { call in try recorder.record(&call, writer) }
    }
    return definition
  }
}

extension InstallationPoint {
  /// The target's name in a recording.
  var recordedName: String { block?.implementation?.name ?? title ?? "block" }
}

extension CallRecorder {
  fileprivate func record(_ call: inout CallFrame, _ writer: CallWriter) throws {
    let number = beginCall()
    let arguments = writer.arguments(of: call)
    let hasResult: Bool
    do {
      hasResult = try call.proceedForResult()
    } catch {
      add(call: nil)
      throw error
    }
    if let error = call.error { return add(call: writer.body(number, arguments, threw: error)) }
    if call.signature.result.isAwaitedAnswer,
      case .object(let answer as any AwaitedAnswer)? = try? call.resultValue()
    {
      let recorded = answer.telling { self.add(call: writer.body(number, arguments, awaited: $0)) }
      return try call.setResultValue(.object(recorded))
    }
    add(call: writer.body(number, arguments, hasResult: hasResult, of: call))
  }
}
