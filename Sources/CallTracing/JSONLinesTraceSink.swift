/// Writes one JSON object per call, each on a line.
///
/// The members are `sequence`, `start` and `duration` in nanoseconds, `process`, `thread`, `depth`,
/// `name` and `image` (or null), `address` (a hexadecimal string, or null), `signature`,
/// `arguments` (an array of strings), `result` (a string, or null), `outcome` (`returned`,
/// `replaced`, `threw` or
/// `unfinished`) and, after `threw`, `error`.
public final class JSONLinesTraceSink: TraceSink {
  private let writer: RecordWriter

  /// Creates a sink.
  ///
  /// - Parameter output: Receives the lines.
  public init(_ output: TraceOutput) { writer = RecordWriter(output) }

  /// Writes the records.
  public func receive(_ records: [TraceRecord]) {
    writer.write(records) { record, text in
      let subject = record.subject
      text.append(#"{"sequence":"# as StaticString)
      text.append(record.sequence)
      text.append(#","start":"# as StaticString)
      text.append(record.startNanoseconds)
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
      text.append("," as StaticString)
      text.append(json: record.outcome)
      text.append("}\n" as StaticString)
    }
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { writer.lostRecordCount }
}
