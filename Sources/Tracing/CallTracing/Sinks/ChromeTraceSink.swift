private import BlockRuntimeThreads
private import Glibc

/// Writes Chrome's trace events: a file that Perfetto (<https://ui.perfetto.dev>) and
/// `chrome://tracing` open.
///
/// Each call is a complete event (`"ph":"X"`) on its thread's track, with times in microseconds.
/// Closing the tracer ends the JSON array. The viewers also read a file that was cut short, which
/// the format allows.
public final class ChromeTraceSink: TraceSink {
  private let writer: RecordWriter
  /// A track of the viewer; thread 0 stands for the process.
  private struct Track: Hashable {
    let process: Int32
    let thread: Int32
  }

  private let process = getpid()
  private let wallClockAtZero: UInt64?
  private let names = Locked<[Track: String]>([:])

  /// Creates a sink, and begins its output.
  ///
  /// - Parameters:
  ///   - output: Receives the events.
  ///   - wallClockAtZero: The time at which the clock of the records was zero, in nanoseconds since
  ///     1970, which is with the names of processes; nil if that is not known.
  public init(_ output: TraceOutput, wallClockAtZero: UInt64? = nil) {
    writer = RecordWriter(output)
    self.wallClockAtZero = wallClockAtZero
    writer.write { $0.append("[\n" as StaticString) }
  }

  /// Writes the records.
  public func receive(_ records: [TraceRecord]) {
    writer.write(records) { record, text in
      let track = Track(process: record.process, thread: record.thread)
      if let name = record.processName, isNew(name, of: Track(process: track.process, thread: 0)) {
        appendName(
          "process_name", name, Track(process: track.process, thread: track.process),
          at: wallClockAtZero, &text)
        text.append(",\n" as StaticString)
      }
      if let name = newName(of: track, record) {
        appendName("thread_name", name, track, &text)
        text.append(",\n" as StaticString)
      }
      text.append(#"{"ph":"X","cat":"block","name":"# as StaticString)
      text.append(json: record.subject.shortTitle)
      text.append(#","ts":"# as StaticString)
      text.append(microsecondsOf: record.startNanoseconds)
      text.append(#","dur":"# as StaticString)
      text.append(microsecondsOf: record.durationNanoseconds)
      appendTrack(track, &text)
      text.append(#","args":{"arguments":"# as StaticString)
      text.append(json: record.arguments)
      if let result = record.result {
        text.append(#","result":"# as StaticString)
        text.append(json: result)
      }
      text.append("," as StaticString)
      text.append(json: record.outcome)
      text.append(#","depth":"# as StaticString)
      text.append(record.depth)
      text.append(#","sequence":"# as StaticString)
      text.append(record.sequence)
      text.append(#","function":"# as StaticString)
      text.append(json: record.subject.name)
      text.append(#","image":"# as StaticString)
      text.append(json: record.subject.image)
      appendSubmission(record, &text)
      text.append("}},\n" as StaticString)
    }
  }

  /// Appends where a call ran, and how it came there, as far as that is known.
  private func appendSubmission(_ record: TraceRecord, _ text: inout TraceText) {
    if let queue = record.queue {
      text.append(#","queue":"# as StaticString)
      text.append(json: queue.label)
    }
    if let waited = record.waitedNanoseconds {
      text.append(#","waited":"# as StaticString)
      text.append(microsecondsOf: waited)
    }
    if let caller = record.submission?.callers.first {
      text.append(#","enqueuedBy":"# as StaticString)
      text.append(json: caller.shortTitle)
    }
  }

  /// Ends the array.
  public func finish() {
    writer.finish { text in
      // This is the last element; all others end with a comma.
      appendName(
        "process_name", comm("/proc/self/comm") ?? "process",
        Track(process: process, thread: process), at: wallClockAtZero, &text)
      text.append("\n]\n" as StaticString)
    }
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { writer.lostRecordCount }

  /// The name of a record's thread unless it was written; nil if it was.
  ///
  /// A thread of this process has the name that it had first, for reading it takes a system call.
  private func newName(of track: Track, _ record: TraceRecord) -> String? {
    if record.processName == nil, names.withLock({ $0[track] != nil }) { return nil }
    let name = record.nameOfThread
    return isNew(name, of: track) ? name : nil
  }

  private func isNew(_ name: String, of track: Track) -> Bool {
    names.withLock { $0.updateValue(name, forKey: track) != name }
  }

  private func appendTrack(_ track: Track, _ text: inout TraceText) {
    text.append(#","pid":"# as StaticString)
    text.append(track.process)
    text.append(#","tid":"# as StaticString)
    text.append(track.thread)
  }

  private func appendName(
    _ kind: StaticString, _ name: String, _ track: Track, at time: UInt64? = nil,
    _ text: inout TraceText
  ) {
    text.append(#"{"ph":"M","name":""# as StaticString)
    text.append(kind)
    text.append("\"" as StaticString)
    appendTrack(track, &text)
    text.append(#","args":{"name":"# as StaticString)
    text.append(json: name)
    if let time {
      // A text: a number of JavaScript would be rounded.
      text.append(#","unixNanosecondsAtZero":""# as StaticString)
      text.append(time)
      text.append("\"" as StaticString)
    }
    text.append("}}" as StaticString)
  }
}
