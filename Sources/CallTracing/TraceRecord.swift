private import Glibc
internal import Synchronization

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
    /// It had not ended when its process did, or when the trace ended.
    case unfinished
  }

  /// How a call ended that threw nothing.
  enum Ending: Sendable {
    case proceeded
    case replaced
    case unfinished
  }

  /// The record's number among those that the tracer could have delivered.
  ///
  /// A gap is where the queue was full.
  public internal(set) var sequence: UInt64 = 0

  /// When the call began, by the tracer's clock.
  public let startNanoseconds: UInt64

  /// How long it took.
  public let durationNanoseconds: UInt64

  /// When the call ended.
  var endNanoseconds: UInt64 { startNanoseconds &+ durationNanoseconds }

  /// The kernel's number of the thread, as `ps -L` shows it.
  public let thread: Int32

  /// The process in which the call was made.
  public var process: Int32 { origin?.process ?? getpid() }

  /// The name of that process, nil if it is this one.
  public var processName: String? { origin?.processName }

  /// The thread's name when it was first seen, nil if the call was made in this process.
  public var threadName: String? { origin?.threadName }

  /// How many traced calls of the same tracer it was inside of, on its thread.
  public var depth: Int { Int(level) }

  private let level: Int32
  private let ending: Ending

  let code: TracedCode
  private let values: TraceValues

  /// Where another process's record comes from.
  private let origin: TraceOrigin?

  init(
    start: UInt64, duration: UInt64, thread: Int32, depth: Int32, ending: Ending,
    code: TracedCode, values: TraceValues, origin: TraceOrigin? = nil
  ) {
    startNanoseconds = start
    durationNanoseconds = duration
    self.thread = thread
    level = depth
    self.ending = ending
    self.code = code
    self.values = values
    self.origin = origin
  }

  /// How the call ended.
  public var outcome: Outcome {
    if let error = values.texts?.error { return .threw(error) }
    return switch ending {
    case .proceeded: .returned
    case .replaced: .replaced
    case .unfinished: .unfinished
    }
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

  /// The number by which a stream knows the code, 0 while it does not.
  let number = Atomic<UInt32>(0)

  init(_ subject: TraceSubject, _ capture: TraceCapture, isIncluded: Bool = true) {
    self.subject = subject
    self.capture = capture
    self.isIncluded = isIncluded
  }
}
