internal import Synchronization

/// Writes one line per call, indented by its depth, below a line of column headings.
///
/// A line has the duration, the kernel's number of the thread, and the call with
/// its arguments and result; of a block that was sent to a queue the queue, the sender, how long it
/// waited there, and behind what; of a task its number, its name and who created it. Calls are
/// written when they end, so nested calls precede the call that contains them.
public final class TextTraceSink: TraceSink {
  private let writer: RecordWriter
  private let isHeaded = Atomic(false)

  /// Deeper calls tell their depth instead: a hostile program's would be lines of spaces.
  private static let indentationLimit = 50

  private static let heading =
    "       duration   thread  call, indented by its depth; calls inside of it stand above it\n"

  /// Creates a sink.
  ///
  /// - Parameter output: Receives the lines; standard error if not given.
  public init(_ output: TraceOutput = .standardError) { writer = RecordWriter(output) }

  /// Writes the records.
  public func receive(_ records: [TraceRecord]) {
    writer.write(records) { record, text in
      if !isHeaded.exchange(true, ordering: .relaxed) { text.append(Self.heading) }
      text.append(String(nanoseconds: record.durationNanoseconds), width: 15)
      text.append("  ")
      text.append("\(record.thread)", width: 7)
      text.append("  ")
      let indentation = min(record.depth, Self.indentationLimit)
      text.append(String(repeating: "  ", count: indentation))
      let depth = record.depth > indentation ? "(depth \(record.depth)) " : ""
      let place = record.submission.map { Self.words(of: $0, record) } ?? Self.caller(record)
      text.append(line: "\(depth)\(record)\(Self.outcome(record))\(place)")
      text.append("\n")
    }
  }

  private static func outcome(_ record: TraceRecord) -> String {
    switch record.outcome {
    case .returned: ""
    case .replaced: " (replaced)"
    case .threw(let error): " threw \(error)"
    case .unfinished: " had not ended"
    case .pending: " had not begun"
    case .cancelled: " was cancelled"
    case .suspended: " was suspended for \(String(nanoseconds: record.waitedNanoseconds ?? 0))"
    }
  }

  private static func caller(_ record: TraceRecord) -> String {
    record.callers.first.map { "  [called by \($0.shortTitle)]" } ?? ""
  }

  /// The queue to which a block was sent, who sent it, and how long it waited there.
  private static func words(of submission: TraceSubmission, _ record: TraceRecord) -> String {
    guard let queue = submission.queue, !queue.name.isEmpty else { return "" }
    var words = [queue.name]
    if record.isPartOfTask, let task = record.task {
      let creator = task.creators.first.map { " created by \($0.shortTitle)" } ?? ""
      words.append(task.description + creator)
    }
    if let sender = submission.callers.first { words.append("sent by \(sender.shortTitle)") }
    let obstacle = record.obstacle.map { "behind \($0.words())\(record.inversionWords)" }
    if let waited = record.waitedNanoseconds {
      let wait =
        "waited \(String(nanoseconds: waited))\(submission.isDelayed ? " as asked for" : "")"
      words.append(wait + (obstacle.map { " \($0)" } ?? ""))
    } else if let obstacle {
      words.append(obstacle)
    }
    return "  [\(words.joined(separator: ", "))]"
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { writer.lostRecordCount }
}
