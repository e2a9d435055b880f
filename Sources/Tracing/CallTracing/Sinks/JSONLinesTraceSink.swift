/// Writes one JSON object per call, each on a line.
///
/// The members are `sequence`, `kind` (`call` or `wait`), `start` and `duration` in nanoseconds,
/// `unix` (the start in nanoseconds since 1970, where the zero of its clock is known), `process`,
/// `thread`, `depth`, `name`, `shortName` and `image` (or null), `address` (a hexadecimal string,
/// or null), `signature`, `arguments` (an array of strings), `result` (a string, or null), `queue`
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

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - output: Receives the lines.
  ///   - wallClockAtZero: The time at which the clock of the records was zero, in nanoseconds since
  ///     1970, which tells when calls began; nil if that is not known.
  public init(_ output: TraceOutput, wallClockAtZero: UInt64? = nil) {
    writer = RecordWriter(output)
    self.wallClockAtZero = wallClockAtZero
  }

  /// Writes the records.
  public func receive(_ records: [TraceRecord]) {
    writer.write(records) { record, text in
      let subject = record.subject
      text.append(#"{"sequence":"# as StaticString)
      text.append(record.sequence)
      text.append(#","kind":""# as StaticString)
      text.append(record.kind == .wait ? "wait" : "call" as StaticString)
      text.append(#"","start":"# as StaticString)
      text.append(record.startNanoseconds)
      if let wallClockAtZero {
        text.append(#","unix":"# as StaticString)
        text.append(wallClockAtZero &+ record.startNanoseconds)
      }
      text.append(#","duration":"# as StaticString)
      text.append(record.durationNanoseconds)
      text.append(#","process":"# as StaticString)
      text.append(record.process)
      text.append(#","thread":"# as StaticString)
      text.append(record.thread)
      text.append(#","depth":"# as StaticString)
      text.append(record.depth)
      text.append(#","name":"# as StaticString)
      text.append(json: subject.name)
      text.append(#","shortName":"# as StaticString)
      text.append(json: subject.shortName)
      text.append(#","image":"# as StaticString)
      text.append(json: subject.image)
      text.append(#","address":"# as StaticString)
      text.append(json: subject.address.map { "0x" + String($0, radix: 16) })
      text.append(#","signature":"# as StaticString)
      text.append(json: subject.signature)
      text.append(#","arguments":"# as StaticString)
      text.append(json: record.arguments)
      text.append(#","result":"# as StaticString)
      text.append(json: record.result)
      append(record, &text)
      text.append("," as StaticString)
      text.append(json: record.outcome)
      text.append("}\n" as StaticString)
    }
  }

  /// Appends where a call ran, and how it came there.
  private func append(_ record: TraceRecord, _ text: inout TraceText) {
    let submission = record.submission
    text.append(#","queue":"# as StaticString)
    text.append(json: record.queue)
    text.append(#","sentTo":"# as StaticString)
    text.append(json: submission?.queue)
    text.append(#","enqueued":"# as StaticString)
    text.append(json: submission?.nanoseconds)
    text.append(#","waited":"# as StaticString)
    text.append(json: record.waitedNanoseconds)
    text.append(#","behind":"# as StaticString)
    append(record.obstacle, &text)
    text.append(#","enqueuedBy":"# as StaticString)
    text.append(json: submission?.callers.first?.shortTitle)
    text.append(#","stack":"# as StaticString)
    text.append(json: record.callers.map(\.shortTitle))
    text.append(#","calledBy":"# as StaticString)
    text.append(json: submission == nil ? record.callers.first?.shortTitle : nil)
    text.append(#","task":"# as StaticString)
    text.append(json: record.task)
    if let suspension = record.suspension {
      text.append(#","suspension":"# as StaticString)
      text.append(json: suspension.name as String?)
    }
  }

  /// Appends what a block waited behind.
  private func append(_ obstacle: TraceObstacle?, _ text: inout TraceText) {
    guard let obstacle else { return text.append("null" as StaticString) }
    text.append(#"{"calls":"# as StaticString)
    text.append(json: obstacle.callCount.map(UInt64.init))
    text.append(#","name":"# as StaticString)
    text.append(json: obstacle.longest.name)
    text.append(#","shortName":"# as StaticString)
    text.append(json: obstacle.longest.shortName)
    text.append(#","duration":"# as StaticString)
    text.append(obstacle.longestNanoseconds)
    text.append(#","enqueuedBy":"# as StaticString)
    text.append(json: obstacle.submission?.callers.first?.shortTitle)
    text.append("}" as StaticString)
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { writer.lostRecordCount }
}
