internal import BlockHooks
private import Glibc

// SAFETY, for the whole file: paths are C strings for the duration of a call, and an entry of a
// directory is valid until the next one is read.

/// Gathers the streams that appear in a directory, and gives their calls to sinks.
///
/// It has no thread: whoever uses it collects, again and again, and finishes.
package final class TraceCollector {
  /// What became of the calls seen so far.
  package struct Counts: Hashable, Sendable {
    /// Calls that the sinks have received, unfinished ones included.
    package fileprivate(set) var calls = 0
    /// Calls that found no room in their stream.
    package fileprivate(set) var dropped = 0
    /// Programs that were traced: processes, and programs that these went on with.
    package fileprivate(set) var programs = 0
    /// Processes that were still running at the end.
    package fileprivate(set) var running = 0
  }

  /// What became of the calls so far.
  package private(set) var counts = Counts()

  /// The calls that had not ended when their process did, or when the trace ended.
  package private(set) var unfinishedRecords: [TraceRecord] = []

  /// Why programs are not, or were not, traced.
  package var refusals: [TraceRefusal] { endedRefusals + streams.compactMap(\.reader.refusal) }

  /// Why streams could not be read, or not to their end.
  package private(set) var errors: [TraceError] = []

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
  ///   - directory: Where traced processes put their streams.
  ///   - sinks: Receive the calls.
  package init(directory: String, sinks: [any TraceSink]) {
    self.directory = directory
    self.sinks = sinks
  }

  /// Gives the sinks what has arrived, at most a few thousand calls of each stream.
  ///
  /// - Returns: Whether something had arrived.
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

  /// Gives the sinks all that is left, calls that have not ended included, and ends them.
  ///
  /// The directory is empty then.
  package func finish() {
    openNewStreams()
    var records: [TraceRecord] = []
    for stream in streams { records += end(stream) }
    streams = []
    deliver(records)
    for sink in sinks { sink.finish() }
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

  /// What is left of a stream; it is gone then.
  private func end(_ stream: CollectedStream) -> [TraceRecord] {
    var records: [TraceRecord] = []
    // A process that still runs may append for ever.
    let running = stream.runningProcessCount
    read(stream, into: &records, limit: running > 0 ? 64 * Self.partLimit : .max, isLast: true)
    counts.running += running
    counts.dropped += stream.reader.droppedCount
    let unfinished = stream.reader.unfinishedRecords(at: ClockReading.monotonic.nanoseconds)
    unfinishedRecords += unfinished
    records += unfinished
    if let refusal = stream.reader.refusal { endedRefusals.append(refusal) }
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

  /// The files of the directory with such names.
  private func paths(endingWith ending: String) -> [String] {
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
    // One stream's calls are in order; those of several are put in it.
    if streams.count > 1 { records.sort { $0.endNanoseconds < $1.endNanoseconds } }
    for index in records.indices {
      records[index].sequence = sequence
      sequence += 1
    }
    counts.calls += records.count
    for sink in sinks { sink.receive(records) }
  }
}
