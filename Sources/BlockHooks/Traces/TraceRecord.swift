/// One traced call.
///
/// Arguments and result become text when they are asked for: a record that nobody prints costs no
/// rendering. They may be asked for on any thread and at any time after the call.
public struct TraceRecord: Sendable {
  /// How a traced call ended.
  public enum Outcome: Hashable, Sendable {
    /// It proceeded to what lies below: the next hook, in the end the original.
    case returned
    /// It ended without proceeding; a result that it has was set by the hook.
    case replaced
    /// The hook threw; the text is the error's description.
    case threw(String)
  }

  /// The record's number among those that the tracer could have delivered.
  ///
  /// A gap is where the queue was full.
  public internal(set) var sequence: UInt64 = 0

  /// When the call began, by the tracer's clock.
  public let startNanoseconds: UInt64

  /// How long it took.
  public let durationNanoseconds: UInt64

  /// The kernel's number of the thread, as `ps -L` shows it.
  public let thread: Int32

  /// How many traced calls of the same tracer it was inside of, on its thread.
  public var depth: Int { Int(level) }

  private let level: Int32
  private let hasProceeded: Bool

  let code: TracedCode
  private let values: TraceValues

  init(
    start: UInt64, duration: UInt64, thread: Int32, depth: Int32, hasProceeded: Bool,
    code: TracedCode, values: TraceValues
  ) {
    startNanoseconds = start
    durationNanoseconds = duration
    self.thread = thread
    level = depth
    self.hasProceeded = hasProceeded
    self.code = code
    self.values = values
  }

  /// How the call ended.
  public var outcome: Outcome {
    if let error = values.texts?.error { return .threw(error) }
    return hasProceeded ? .returned : .replaced
  }

  /// What was called.
  public var subject: TraceSubject { code.subject }

  /// The arguments before the call, without the hidden ones, each as `CallFrame.arguments` shows it.
  public var arguments: [String] { code.capture.arguments(values) }

  /// The result that the traced level ended with, nil where there is none.
  public var result: String? { code.capture.result(values) }
}

extension TraceRecord: CustomStringConvertible {
  /// The call with its arguments and its result.
  public var description: String {
    let call = "\(subject.title)(\(arguments.joined(separator: ", ")))"
    return result.map { "\(call) = \($0)" } ?? call
  }
}

/// What a tracer knows of one piece of code called by one signature.
final class TracedCode: Sendable {
  let subject: TraceSubject
  let capture: TraceCapture

  /// Whether the tracer's patterns choose it.
  let isIncluded: Bool

  init(_ subject: TraceSubject, _ capture: TraceCapture, _ options: TraceOptions) {
    self.subject = subject
    self.capture = capture
    isIncluded = options.includes(subject)
  }
}
