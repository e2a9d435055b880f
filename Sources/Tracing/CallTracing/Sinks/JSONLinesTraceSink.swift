/// Writes one JSON object per call, each on a line.
///
/// The members are `sequence`, `kind` (`call` or `wait`), `start` and `duration` in nanoseconds,
/// `unix` (the start in nanoseconds since 1970, where the zero of its clock is known), `process`,
/// `thread`, `depth`, `name`, `shortName` and `image` (or null), `address` (a hexadecimal string,
/// or null), `file` and `line` (where the code was written, or null; only of `hook-demo`),
/// `signature`, `arguments` (an array of strings), `result` (a string, or null), `queue`
/// (on which it ran, or for which it waited) and `sentTo` (objects with `label`, `ordinal`,
/// `serial`, `target` and `qos`, or null), `enqueued` (in nanoseconds, by the clock of `start`),
/// `waited` and `behind` (the obstacle of its wait: an object with `calls`, and `name`,
/// `shortName`, `duration` and `enqueuedBy` of the longest, or null), `enqueuedBy` (a short name,
/// or null), `stack` (an array of short names, the innermost caller first), `calledBy` (that of
/// what was not sent to a queue, or null), `task` (an object with `id`, `name`, `parent`,
/// `priority` and `createdBy`, or null), of a part of a task `suspension` (`task`, `group`,
/// `continuation`, `executor`, `suspended`, `left` or `replaced`), `outcome` (`returned`,
/// `replaced`, `threw`, `unfinished`, `pending`, `cancelled` or `suspended`) and, after `threw`,
/// `error`.
public final class JSONLinesTraceSink: TraceSink {
  private let writer: RecordWriter
  private let wallClockAtZero: UInt64?
  private let locate: LocationSearch?

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - output: Receives the lines.
  ///   - wallClockAtZero: The time at which the clock of the records was zero, in nanoseconds since
  ///     1970, which tells when calls began; nil if that is not known.
  public convenience init(_ output: TraceOutput, wallClockAtZero: UInt64? = nil) {
    self.init(output, wallClockAtZero: wallClockAtZero, locating: nil)
  }

  /// Creates a sink that also writes where code was written, which a closure finds.
  package init(
    _ output: TraceOutput, wallClockAtZero: UInt64?, locating locate: LocationSearch?
  ) {
    writer = RecordWriter(output)
    self.wallClockAtZero = wallClockAtZero
    self.locate = locate
  }

  /// Writes the records.
  public func receive(_ records: [TraceRecord]) {
    writer.write(records) { record, text in
      text.append { text in
        appendCall(record, &text)
        appendDispatch(record, &text)
        appendOutcome(record, &text)
      }
      text.append("\n")
    }
  }

  private func appendCall(_ record: TraceRecord, _ text: inout TraceText) {
    let subject = record.subject
    text.append("sequence", record.sequence)
    text.append("kind", record.kind == .wait ? "wait" : "call")
    text.append("start", record.startNanoseconds)
    if let wallClockAtZero { text.append("unix", wallClockAtZero &+ record.startNanoseconds) }
    text.append("duration", record.durationNanoseconds)
    text.append("process", record.process)
    text.append("thread", record.thread)
    text.append("depth", record.depth)
    text.append("name", subject.name)
    text.append("shortName", subject.shortName)
    text.append("image", subject.image)
    text.append("address", subject.address.map { "0x" + String($0, radix: 16) })
    if let locate {
      let location = subject.place.flatMap { locate($0) }
      text.append("file", location?.file)
      text.append("line", location?.line)
    }
    text.append("signature", subject.signature)
    text.append("arguments", record.arguments)
    text.append("result", record.result)
  }

  /// Appends where a call ran, and how it came there.
  private func appendDispatch(_ record: TraceRecord, _ text: inout TraceText) {
    let submission = record.submission
    text.append("queue", record.queue)
    text.append("sentTo", submission?.queue)
    text.append("enqueued", submission?.nanoseconds)
    text.append("waited", record.waitedNanoseconds)
    text.append("qos", submission?.qualityOfService?.name)
    text.append("behind", record.obstacle)
    text.append("enqueuedBy", submission?.callers.first?.shortTitle)
    text.append("stack", record.callers.map(\.shortTitle))
    text.append("calledBy", submission == nil ? record.callers.first?.shortTitle : nil)
    text.append("task", record.task)
    guard record.isPartOfTask else { return }
    text.append("actor", record.actor)
    text.append("resumedBy", record.resumption)
  }

  private func appendOutcome(_ record: TraceRecord, _ text: inout TraceText) {
    if let suspension = record.suspension {
      text.append("suspension", suspension.name)
      text.append("waitsFor", record.taskWait)
    }
    text.append("outcome", record.outcome.name)
    if case .threw(let error) = record.outcome { text.append("error", error) }
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { writer.lostRecordCount }
}
