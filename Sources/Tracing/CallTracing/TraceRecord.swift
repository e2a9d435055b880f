private import Glibc
internal import Synchronization

/// One traced call.
///
/// Arguments and result are rendered as text when they are read, so that a record that is not
/// printed costs no rendering. They may be read on any thread and at any time after the call.
public struct TraceRecord: Sendable {
  /// What a record is of.
  public enum Kind: Hashable, Sendable {
    /// A call of a block or a function.
    case call
    /// The time that a thread waited in a function of libdispatch.
    case wait
  }

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
    /// The block was sent to a queue, and had not begun when the trace ended.
    case pending
    /// The block was sent to a queue, and cancelled before it began.
    case cancelled
    /// The Swift task was suspended, or waited for its actor, when its process or the trace ended;
    /// the record is no part of the task, but the time since.
    case suspended
  }

  /// How a call ended that did not throw.
  enum Ending: UInt8, Sendable {
    case proceeded
    case replaced
    case unfinished
    case pending
    case cancelled
    case suspended
  }

  /// The record's number among those that the tracer could have delivered.
  ///
  /// A gap shows that the queue was full.
  public internal(set) var sequence: UInt64 = 0

  /// The time at which the call began, by the tracer's clock; at which its block was sent, if that
  /// never ran, or at which a task was suspended for ever.
  public let startNanoseconds: UInt64

  /// The duration of the call.
  public let durationNanoseconds: UInt64

  /// The time at which the call ended.
  package var endNanoseconds: UInt64 { startNanoseconds &+ durationNanoseconds }

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

  /// Where the call was dispatched.
  private let dispatch: TraceDispatch?

  init(
    start: UInt64, duration: UInt64, thread: Int32, depth: Int32, ending: Ending,
    code: RecordedCode, values: TraceValues, origin: TraceOrigin? = nil,
    dispatch: TraceDispatch? = nil
  ) {
    startNanoseconds = start
    durationNanoseconds = duration
    self.thread = thread
    level = depth
    self.ending = ending
    self.code = code
    self.values = values
    self.origin = origin
    self.dispatch = dispatch
  }

  /// What it takes of the limits of records that are kept: more with long texts.
  var weight: Int {
    TraceStreamFormat.weight(
      ofTexts: subject.textBytes + (dispatch?.textBytes ?? 0) + (values.texts?.textBytes ?? 0))
  }

  /// What the record is of.
  public var kind: Kind { code.kind }

  /// The queue that ran the call when it began, or that was waited for; nil if that is not known.
  ///
  /// It is known of calls in programs that `hook-demo trace` runs, and so is the submission.
  public var queue: TracedQueue? { dispatch?.queue }

  /// How the block was sent to its queue; nil if that is not known.
  public var submission: TraceSubmission? { dispatch?.submission }

  /// How long the block waited between its submission and its begin, or, if it never ran, its
  /// cancellation or the end of the trace, or how long a task was suspended until that; nil if that
  /// is not known.
  public var waitedNanoseconds: UInt64? { dispatch?.waited }

  /// The obstacle behind which the block waited; nil if there was none, or if that is not known.
  public var obstacle: TraceObstacle? { dispatch?.obstacle }

  /// Who made the call, the innermost first: of waits and of C functions the function that called,
  /// of blocks those that sent them (`submission`); empty if that is not known.
  ///
  /// One is known of calls in programs that `hook-demo trace` runs, or as many as were asked for.
  public var callers: [TraceCaller] { dispatch?.callers ?? [] }

  /// The Swift task that made the call, or of which the record is a part; nil for none.
  public var task: TracedTask? { dispatch?.task }

  /// Whether the record is of a part of a Swift task: the time from which a thread ran it until the
  /// task was suspended, went on elsewhere or ended.
  public var isPartOfTask: Bool { code.isTask }

  /// Why the part of a task ended, or why a task was suspended; nil for other records.
  public var suspension: TaskSuspension? { dispatch?.suspension }

  /// The actor on which the part of a task ran last; nil for none, or if that is not known.
  public var actor: TracedActor? { dispatch?.step?.actor }

  /// The wait of the task after its part, or that for which it is suspended; nil if that is not
  /// known.
  public var taskWait: TaskWait? { dispatch?.step?.wait }

  /// Who resumed the task before its part, or since it is suspended; nil if nobody did, or if that
  /// is not known.
  public var resumption: TaskResumption? { dispatch?.step?.resumption }

  /// How the call ended.
  public var outcome: Outcome {
    if let error = values.texts?.error { return .threw(error) }
    return switch ending {
    case .proceeded: .returned
    case .replaced: .replaced
    case .unfinished: .unfinished
    case .pending: .pending
    case .cancelled: .cancelled
    case .suspended: .suspended
    }
  }

  /// Whether the record is of something that ran.
  package var hasStarted: Bool {
    switch ending {
    case .pending, .cancelled, .suspended: false
    default: true
    }
  }

  /// The code that was called.
  public var subject: TraceSubject { code.subject }

  /// The arguments before the call, without hidden ones, in the form of `CallFrame.arguments`.
  public var arguments: [String] { code.capture?.arguments(values) ?? [] }

  /// The result with which the traced hook ended, nil if there is none.
  public var result: String? { code.capture?.result(values) }
}

extension TraceRecord: CustomStringConvertible {
  /// The call with its arguments and its result.
  public var description: String {
    let call = "\(subject.shortTitle)(\(arguments.joined(separator: ", ")))"
    return result.map { "\(call) = \($0)" } ?? call
  }
}

/// What records say of a piece of code that is called with one signature.
final class RecordedCode: Sendable {
  let subject: TraceSubject

  /// How values are captured; nil if calls have none.
  let capture: TraceCapture?
  let kind: TraceRecord.Kind

  /// Whether the code is what a Swift task runs.
  let isTask: Bool

  init(
    _ subject: TraceSubject, _ capture: TraceCapture?, _ kind: TraceRecord.Kind = .call,
    isTask: Bool = false
  ) {
    self.subject = subject
    self.capture = capture
    self.kind = kind
    self.isTask = isTask
  }
}

/// Where a call was dispatched.
final class TraceDispatch: Sendable {
  let queue: TracedQueue?
  let submission: TraceSubmission?
  let waited: UInt64?
  let obstacle: TraceObstacle?
  let task: TracedTask?
  let suspension: TaskSuspension?
  let callers: [TraceCaller]

  /// The details that only parts of tasks have; nil for other calls.
  let step: TaskStep?

  init(
    queue: TracedQueue?, submission: TraceSubmission? = nil, waited: UInt64? = nil,
    behind obstacle: TraceObstacle? = nil, task: TracedTask? = nil,
    suspension: TaskSuspension? = nil, callers: [TraceCaller] = [], step: TaskStep? = nil
  ) {
    self.step = step
    self.callers = callers.isEmpty ? submission?.callers ?? [] : callers
    self.queue = queue
    self.submission = submission
    self.waited = waited
    self.obstacle = obstacle
    self.task = task
    self.suspension = suspension
  }

  /// The same of a part of a task that another thread or task has resumed.
  func resumed(by resumption: TaskResumption) -> TraceDispatch {
    TraceDispatch(
      queue: queue, submission: submission, waited: waited, behind: obstacle, task: task,
      callers: callers, step: TaskStep(actor: nil, wait: nil, resumption: resumption))
  }
}

/// Where a part of a task ran, what the task waits for after it, and who resumed it.
final class TaskStep: Sendable {
  let actor: TracedActor?
  let wait: TaskWait?
  let resumption: TaskResumption?

  init(actor: TracedActor?, wait: TaskWait?, resumption: TaskResumption?) {
    (self.actor, self.wait, self.resumption) = (actor, wait, resumption)
  }
}

/// A piece of code that hooks of a tracer record, which retain it.
///
/// Calls that wait in the tracer's queue do not: so the queue gets what they need when this ends.
final class TracedCode: Sendable {
  let recorded: RecordedCode

  /// The plan of the capture of `recorded`.
  let plan: CapturePlan

  /// Whether the tracer's patterns select it.
  let isIncluded: Bool

  /// How the callers are found that a stream has of its calls; nil if it has none.
  let callers: CallerSearch?

  /// The code's number in a stream, 0 if it has none.
  let number = Atomic<UInt32>(0)

  private let queue: TraceQueue?

  init(
    _ recorded: RecordedCode, _ plan: CapturePlan, isIncluded: Bool, callers: CallerSearch?,
    _ queue: TraceQueue?
  ) {
    self.recorded = recorded
    self.plan = plan
    self.isIncluded = isIncluded
    self.callers = callers
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
