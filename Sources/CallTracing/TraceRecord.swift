private import Glibc
internal import Synchronization

/// One traced call.
///
/// Arguments and result are rendered as text when they are read, so that a record that is not
/// printed costs no rendering. They may be read on any thread and at any time after the call.
public struct TraceRecord: Sendable {
  /// How a traced call ended.
  public enum Outcome: Hashable, Sendable {
    /// The call proceeded to the inner hooks and, in the end, to the original.
    case returned
    /// The call ended without proceeding; the hook set its result, if there is one.
    case replaced
    /// The hook threw; the text is the error's description.
    case threw(String)
    /// The call was in progress when its process or the trace ended.
    case unfinished
  }

  /// How a call ended that did not throw.
  enum Ending: UInt8, Sendable {
    case proceeded
    case replaced
    case unfinished
  }

  /// The record's number among those that the tracer could have delivered.
  ///
  /// A gap shows that the queue was full.
  public internal(set) var sequence: UInt64 = 0

  /// The time at which the call began, by the tracer's clock.
  public let startNanoseconds: UInt64

  /// The duration of the call.
  public let durationNanoseconds: UInt64

  /// The time at which the call ended.
  var endNanoseconds: UInt64 { startNanoseconds &+ durationNanoseconds }

  /// The kernel's number of the thread, as `ps -L` shows it.
  public let thread: Int32

  /// The process in which the call was made.
  public var process: Int32 { origin?.process ?? getpid() }

  /// The name of that process, nil if it is this one.
  public var processName: String? { origin?.processName }

  /// The thread's name when it was first seen, nil if the call was made in this process.
  public var threadName: String? { origin?.threadName }

  /// The number of traced calls of the same tracer around this one on its thread.
  public var depth: Int { Int(level) }

  private let level: Int32
  private let ending: Ending

  let code: RecordedCode
  private let values: TraceValues

  /// The origin of a record from another process.
  private let origin: TraceOrigin?

  init(
    start: UInt64, duration: UInt64, thread: Int32, depth: Int32, ending: Ending,
    code: RecordedCode, values: TraceValues, origin: TraceOrigin? = nil
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

  /// The code that was called.
  public var subject: TraceSubject { code.subject }

  /// The arguments before the call, without hidden ones, in the form of `CallFrame.arguments`.
  public var arguments: [String] { code.capture.arguments(values) }

  /// The result with which the traced hook ended, nil if there is none.
  public var result: String? { code.capture.result(values) }
}

extension TraceRecord: CustomStringConvertible {
  /// The call with its arguments and its result.
  public var description: String {
    let call = "\(subject.title)(\(arguments.joined(separator: ", ")))"
    return result.map { "\(call) = \($0)" } ?? call
  }
}

/// What records say of a piece of code that is called with one signature.
final class RecordedCode: Sendable {
  let subject: TraceSubject
  let capture: TraceCapture

  init(_ subject: TraceSubject, _ capture: TraceCapture) {
    self.subject = subject
    self.capture = capture
  }
}

/// A piece of code that hooks of a tracer record, which retain it.
///
/// Calls that wait in the tracer's queue do not: so the queue gets what they need when this ends.
final class TracedCode: Sendable {
  let recorded: RecordedCode

  /// A copy of the plan of `recorded`.
  let plan: CapturePlan

  /// Whether the tracer's patterns select it.
  let isIncluded: Bool

  /// The code's number in a stream, 0 if it has none.
  let number = Atomic<UInt32>(0)

  private let queue: TraceQueue?

  init(_ recorded: RecordedCode, isIncluded: Bool, _ queue: TraceQueue?) {
    self.recorded = recorded
    plan = recorded.capture.plan
    self.isIncluded = isIncluded
    self.queue = queue
  }

  deinit { queue?.retire(recorded) }
}

/// The process and thread of a record that was made in another process.
final class TraceOrigin: Sendable {
  let process: Int32
  let processName: String
  let threadName: String?

  init(process: Int32, processName: String, threadName: String?) {
    self.process = process
    self.processName = processName
    self.threadName = threadName
  }
}
