internal import BlockHooks
private import Glibc

/// Reads the streams that appear in a directory, and passes their calls to sinks.
///
/// It has no thread: its user calls `collect` repeatedly, and then `finish`.
package final class TraceCollector {
  /// Totals over the calls seen so far.
  package struct Counts: Hashable, Sendable {
    /// Calls that the sinks have received, unfinished ones included.
    package fileprivate(set) var calls = 0
    /// Calls of blocks, and parts of tasks, whose submission is known.
    package fileprivate(set) var submissions = 0
    /// Calls that found no room in their stream.
    package fileprivate(set) var dropped = 0
    /// Programs that were traced: processes, and programs that these executed.
    package fileprivate(set) var programs = 0
    /// Processes that were still running at the end.
    package fileprivate(set) var running = 0
  }

  /// Totals over the calls so far.
  package private(set) var counts = Counts()

  /// The calls that were in progress when their process or the trace ended.
  package private(set) var unfinishedRecords: [TraceRecord] = []

  /// The blocks that had been sent to queues and had not begun when their process or the trace ended.
  package private(set) var pendingRecords: [TraceRecord] = []

  /// The reasons why programs are not, or were not, traced.
  package var refusals: [TraceRefusal] { endedRefusals + streams.compactMap(\.reader.refusal) }

  /// The reasons why streams could not be read, or only in part.
  package private(set) var errors: [TraceError] = []

  /// How much the queues had to do, by their labels, over all processes that have ended.
  package private(set) var queueLoads: [String: QueueLoad] = [:]

  private static let partLimit = 8192

  private let directory: String
  private let sinks: [any TraceSink]
  private var streams: [CollectedStream] = []
  private var endedRefusals: [TraceRefusal] = []
  private var knownPaths: Set<String> = []
  private var sequence: UInt64 = 0

  /// Creates a collector.
  ///
  /// - Parameters:
  ///   - directory: The directory in which traced processes create their streams.
  ///   - sinks: Receive the calls.
  package init(directory: String, sinks: [any TraceSink]) {
    self.directory = directory
    self.sinks = sinks
  }

  /// Passes new calls to the sinks, at most a few thousand of each stream.
  ///
  /// - Returns: Whether there were new calls.
  package func collect() -> Bool {
    openNewStreams()
    var records: [TraceRecord] = []
    for stream in streams {
      read(stream, into: &records, limit: Self.partLimit)
    }
    deliver(records)
    closeDeadStreams()
    return !records.isEmpty
  }

  /// Passes all remaining calls to the sinks, including those in progress, and ends the sinks.
  ///
  /// The directory is empty afterwards.
  package func finish() {
    openNewStreams()
    var records: [TraceRecord] = []
    for stream in streams { records += end(stream) }
    streams = []
    deliver(records)
    for sink in sinks { sink.finish() }
    // SAFETY: the path is null-terminated for the duration of the call.
    for path in paths(endingWith: "") { unsafe unlink(path) }
  }

  private func openNewStreams() {
    for path in paths(endingWith: ".trace") where knownPaths.insert(path).inserted {
      do throws(TraceError) {
        streams.append(CollectedStream(reader: try TraceStreamReader(path: path), path: path))
        counts.programs += 1
      } catch {
        errors.append(error)
      }
    }
  }

  private func read(
    _ stream: CollectedStream, into records: inout [TraceRecord], limit: Int, isLast: Bool = false
  ) {
    do throws(TraceError) {
      try stream.read(into: &records, limit: limit, isLast: isLast)
    } catch {
      errors.append(error)
    }
  }

  /// Reads the rest of a stream and removes its file.
  private func end(_ stream: CollectedStream) -> [TraceRecord] {
    var records: [TraceRecord] = []
    // A process that still runs may append without end.
    let running = stream.runningProcessCount
    read(stream, into: &records, limit: running > 0 ? 64 * Self.partLimit : .max, isLast: true)
    counts.running += running
    counts.dropped += stream.reader.droppedCount
    let now = ClockReading.monotonic.nanoseconds
    let unfinished = stream.reader.unfinishedRecords(at: now)
    unfinishedRecords += unfinished
    records += unfinished
    let pending = stream.reader.pendingRecords(at: now)
    pendingRecords += pending
    records += pending
    for (queue, load) in stream.reader.queueLoads {
      queueLoads[queue.label] = queueLoads[queue.label].map { $0.combined(with: load) } ?? load
    }
    if let refusal = stream.reader.refusal { endedRefusals.append(refusal) }
    // SAFETY: the path is null-terminated for the duration of the call.
    unsafe unlink(stream.path)
    return records
  }

  private func closeDeadStreams() {
    let now = ClockReading.monotonic.nanoseconds
    let dead = streams.filter { $0.isDead(at: now) }
    guard !dead.isEmpty else { return }
    for stream in dead { deliver(end(stream)) }
    streams.removeAll { stream in dead.contains { $0 === stream } }
  }

  /// The files of the directory whose names have an ending.
  private func paths(endingWith ending: String) -> [String] {
    // SAFETY: the path is null-terminated; an entry is valid until the next one is read.
    guard let listing = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(listing) }
    var paths: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if name.hasSuffix(ending), name != ".", name != ".." { paths.append("\(directory)/\(name)") }
    }
    return paths
  }

  private func deliver(_ records: [TraceRecord]) {
    guard !records.isEmpty else { return }
    var records = records
    // The calls of one stream are in order; those of several streams are sorted.
    if streams.count > 1 { records.sort { $0.endNanoseconds < $1.endNanoseconds } }
    for index in records.indices {
      records[index].sequence = sequence
      sequence += 1
    }
    counts.calls += records.count
    counts.submissions += records.count { $0.submission != nil && $0.kind == .call }
    for sink in sinks { sink.receive(records) }
  }
}
