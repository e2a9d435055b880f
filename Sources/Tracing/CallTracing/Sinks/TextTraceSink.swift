internal import Synchronization

/// Writes one line per call, indented by its depth, below a line of column headings.
///
/// A line has the duration in microseconds, the kernel's number of the thread, and the call with
/// its arguments and result; of a block that was sent to a queue the queue, the sender, how long it
/// waited there, and behind what; of a task its number, its name and who created it. Calls are
/// written when they end, so nested calls precede the call that contains them.
public final class TextTraceSink: TraceSink {
  private let writer: RecordWriter
  private let isHeaded = Atomic(false)

  /// Deeper calls tell their depth instead: a hostile program's would be lines of spaces.
  private static let indentationLimit = 50

  private static let heading: StaticString =
    "       duration   thread  call, indented by its depth; calls inside of it stand above it\n"

  /// Creates a sink.
  ///
  /// - Parameter output: Receives the lines; standard error if not given.
  public init(_ output: TraceOutput = .standardError) { writer = RecordWriter(output) }

  /// Writes the records.
  public func receive(_ records: [TraceRecord]) {
    writer.write(records) { record, text in
      if !isHeaded.exchange(true, ordering: .relaxed) { text.append(Self.heading) }
      text.append(microsecondsOf: record.durationNanoseconds, width: 12)
      text.append(" µs  " as StaticString)
      text.append(record.thread, width: 7)
      text.append("  " as StaticString)
      for _ in 0..<min(record.depth, Self.indentationLimit) { text.append("  " as StaticString) }
      if record.depth > Self.indentationLimit {
        text.append("(depth " as StaticString)
        text.append(record.depth)
        text.append(") " as StaticString)
      }
      text.append(line: record.subject.shortTitle)
      text.append("(" as StaticString)
      text.append(line: record.arguments.joined(separator: ", "))
      text.append(")" as StaticString)
      if let result = record.result {
        text.append(" = " as StaticString)
        text.append(line: result)
      }
      switch record.outcome {
      case .returned: break
      case .replaced: text.append(" (replaced)" as StaticString)
      case .threw(let error):
        text.append(" threw " as StaticString)
        text.append(line: error)
      case .unfinished: text.append(" had not ended" as StaticString)
      case .pending: text.append(" had not begun" as StaticString)
      case .cancelled: text.append(" was cancelled" as StaticString)
      case .suspended:
        text.append(" was suspended for " as StaticString)
        text.append(microsecondsOf: record.waitedNanoseconds ?? 0)
        text.append(" µs" as StaticString)
      }
      if let submission = record.submission {
        append(submission, of: record, &text)
      } else if let caller = record.callers.first {
        text.append("  [called by " as StaticString)
        text.append(line: caller.shortTitle)
        text.append("]" as StaticString)
      }
      text.append("\n" as StaticString)
    }
  }

  /// Appends the queue that a block was sent to, by whom, and how long it waited there behind what.
  private func append(
    _ submission: TraceSubmission, of record: TraceRecord, _ text: inout TraceText
  ) {
    guard let queue = submission.queue, !queue.name.isEmpty else { return }
    text.append("  [" as StaticString)
    text.append(line: queue.name)
    if record.isPartOfTask, let task = record.task {
      text.append(", " as StaticString)
      text.append(line: task.description)
      if let creator = task.creators.first {
        text.append(" created by " as StaticString)
        text.append(line: creator.shortTitle)
      }
    }
    if let sender = submission.callers.first {
      text.append(", sent by " as StaticString)
      text.append(line: sender.shortTitle)
    }
    if let waited = record.waitedNanoseconds {
      text.append(", waited " as StaticString)
      text.append(microsecondsOf: waited)
      text.append(submission.isDelayed ? " µs as asked for" : " µs" as StaticString)
    }
    if let obstacle = record.obstacle {
      let isWaitNamed = record.waitedNanoseconds != nil
      text.append(isWaitNamed ? " behind " : ", behind " as StaticString)
      text.append(line: obstacle.words())
    }
    text.append("]" as StaticString)
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { writer.lostRecordCount }
}
