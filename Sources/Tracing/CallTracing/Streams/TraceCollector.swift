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
    /// Calls of blocks, and parts of tasks, whose submission is known; a handler is not sent for
    /// each of its calls.
    package fileprivate(set) var submissions = 0
    /// Calls that found no room in their stream.
    package fileprivate(set) var dropped = 0
    /// Records of other things, as of submissions and actors, that found no room.
    package fileprivate(set) var missing = 0
    /// Records of actors, waits of tasks and resumptions.
    package fileprivate(set) var hops = 0
    /// Programs that were traced: processes, and programs that these executed.
    package fileprivate(set) var programs = 0
    /// Programs of which a process was still running at the end.
    package fileprivate(set) var running = 0

    /// Adds what a stream itself counts.
    fileprivate mutating func add(_ stream: TraceStreamReader) {
      dropped.addClamped(stream.droppedCount)
      missing.addClamped(stream.missingCount)
      hops.addClamped(stream.hopCount)
    }
  }

  /// Totals over the calls so far.
  package var counts: Counts { streams.reduce(into: endedCounts) { $0.add($1.reader) } }

  private var endedCounts = Counts()

  /// The calls that were in progress when their process or the trace ended.
  package private(set) var unfinishedRecords: [TraceRecord] = []

  /// What waited when its process or the trace ended: blocks that had been sent to queues and had
  /// not begun, and suspended tasks.
  private var pendingRecords: [TraceRecord] = []

  /// The reasons why programs, or functions that were named, are not, or were not, traced.
  package var refusals: [TraceRefusal] { endedRefusals + streams.flatMap(\.reader.refusals) }

  /// The number of programs with such a reason.
  package var refusedProgramCount: Int {
    endedRefusedCount + streams.count { !$0.reader.refusals.isEmpty }
  }

  private var endedRefusedCount = 0

  /// The reasons why streams could not be read, or only in part.
  package private(set) var errors: [TraceError] = []

  /// What waited when the trace was stopped; empty while it goes on.
  private var pausedRecords: [TraceRecord] = []

  /// How much the queues had to do so far, by their names, over all processes.
  package var queueLoads: [String: QueueLoad] {
    streams.reduce(into: endedLoads) { $0.add($1.reader.queueLoads) }
  }

  private var endedLoads: [String: QueueLoad] = [:]

  /// How much the actors had to do so far, over all processes.
  package var actorLoads: ActorLoads { streams.reduce(into: endedActorLoads) { $0.add($1.reader) } }
  private var endedActorLoads = ActorLoads()

  /// How often the Swift functions were called whose calls are counted, in all processes that have
  /// ended.
  package var countedCalls: [TracedName: UInt64] { collectedCounts.calls }

  private var collectedCounts: CollectedCounts

  /// How many bytes of each stream are read at once: so much is in memory.
  private static let byteLimit = 1 << 20

  private let directory: String
  private let sinks: [any TraceSink]
  private let capacity: Int
  private var streams: [CollectedStream] = []
  private var endedRefusals: [TraceRefusal] = []
  private var knownPaths: Set<String> = []

  /// The processes that have, or had, a stream of their own.
  private let processes = CollectedProcesses()
  private var sequence: UInt64 = 0

  /// Creates a collector.
  ///
  /// - Parameters:
  ///   - directory: The directory in which traced processes create their streams.
  ///   - sinks: Receive the calls.
  ///   - capacity: How much a stream may have in memory, in bytes; larger ones are not read.
  package init(directory: String, sinks: [any TraceSink], capacity: Int = .max) {
    self.directory = directory
    self.sinks = sinks
    self.capacity = capacity
    collectedCounts = CollectedCounts(directory: directory)
  }

  /// Passes new calls to the sinks, those in about a mebibyte of each stream.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Whether there were new calls.
  package func collect(at now: UInt64 = ClockReading.monotonic.nanoseconds) -> Bool {
    openNewStreams()
    var records: [TraceRecord] = []
    for stream in streams {
      keepError { () throws(TraceError) in
        try stream.read(into: &records, limit: Self.byteLimit)
      }
    }
    deliver(records)
    closeDeadStreams(at: now)
    collectedCounts.collect(at: now)
    return !records.isEmpty
  }

  /// Passes all remaining calls to the sinks, including those in progress, and ends the sinks.
  ///
  /// The directory is empty afterwards, but for streams that programs can still write to: these
  /// find no room.
  package func finish() {
    openNewStreams()
    var records: [TraceRecord] = []
    for stream in streams { records += end(stream) }
    streams = []
    deliver(records)
    collectedCounts.finish()
    for sink in sinks { sink.finish() }
    TraceDirectory.removeFiles(in: directory)
  }

  /// What has not finished: calls, waits, blocks that have not begun, and suspended tasks, also of
  /// processes that have ended.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Their records.
  package func openRecords(at now: UInt64 = ClockReading.monotonic.nanoseconds) -> [TraceRecord] {
    unfinishedRecords + pendingRecords + pausedRecords
      + streams.flatMap { $0.reader.openRecords(at: now) }
  }

  // MARK: - Pauses

  /// Whether blocks have been sent and not begun that will begin soon.
  package var hasBlocksThatBegin: Bool { streams.contains { $0.reader.hasBlocksThatBegin } }

  /// Passes what waits to the sinks, because what happens to it from now on is not seen.
  ///
  /// Calls in progress go on, and are passed to the sinks when they end.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  package func pause(at now: UInt64 = ClockReading.monotonic.nanoseconds) {
    pausedRecords = streams.flatMap { $0.reader.pause(at: now) }
    deliver(pausedRecords)
  }

  /// Goes on after `pause`: what waited then is not looked for any more.
  package func resume() {
    pausedRecords = []
    for stream in streams { stream.reader.resume() }
  }

  private func openNewStreams() {
    let paths = TraceDirectory.files(in: directory, endingWith: ".trace")
    let count = streams.count
    processes.beginLook()
    for path in paths where knownPaths.insert(path).inserted {
      keepError { () throws(TraceError) in
        let reader = try TraceStreamReader(path: path, among: processes, capacity: capacity)
        streams.append(CollectedStream(reader: reader, path: path))
        endedCounts.programs += 1
      }
    }
    for new in streams[count...] {
      processes.add(new.reader.process)
      for stream in streams { stream.reader.exclude(new.reader.process) }
    }
  }

  private func keepError(_ body: () throws(TraceError) -> Void) {
    do throws(TraceError) { try body() } catch { errors.append(error) }
  }

  /// Reads the rest of a stream, and removes its file if no program can write to it.
  private func end(_ stream: CollectedStream) -> [TraceRecord] {
    var records: [TraceRecord] = []
    let isRunning = stream.hasWriter
    let end = ClockReading.monotonic.nanoseconds
    keepError { () throws(TraceError) in try stream.readRest(into: &records) }
    if isRunning { endedCounts.running += 1 }
    endedCounts.add(stream.reader)
    // A program that has ended did so before its rest was read.
    let now = max(end, stream.reader.latest)
    let unfinished = stream.reader.unfinishedRecords(at: now)
    unfinishedRecords += unfinished.filter { $0.outcome == .unfinished }
    records += unfinished
    let pending = stream.reader.pendingRecords(at: now)
    pendingRecords += pending
    records += pending
    endedLoads.add(stream.reader.queueLoads)
    endedActorLoads.add(stream.reader)
    endedRefusals += stream.reader.refusals
    if !stream.reader.refusals.isEmpty { endedRefusedCount += 1 }
    errors += [stream.reader.unreadValues, stream.reader.forgottenValues].compactMap(\.self)
    if isRunning {
      stream.reader.end()
    } else {
      // SAFETY: the path is null-terminated for the duration of the call.
      unsafe unlink(stream.path)
    }
    return records
  }

  private func closeDeadStreams(at now: UInt64) {
    let dead = streams.filter { $0.isDead(at: now) }
    guard !dead.isEmpty else { return }
    for stream in dead { deliver(end(stream)) }
    streams.removeAll { stream in dead.contains { $0 === stream } }
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
    endedCounts.calls += records.count
    endedCounts.submissions += records.count {
      $0.submission?.nanoseconds != nil && $0.kind == .call
    }
    for sink in sinks { sink.receive(records) }
  }
}

/// How much the actors of all processes had to do.
package struct ActorLoads {
  /// The actors of each process for which tasks waited longest.
  package private(set) var longest: [(actor: TracedActor, load: ActorLoad)] = []

  /// How many others there were.
  package private(set) var otherCount = 0

  /// The most actors of a process.
  private static let limit = 64

  fileprivate mutating func add(_ reader: TraceStreamReader) {
    let loads = reader.actorLoads.sorted { $1.load < $0.load }
    longest += loads.prefix(Self.limit)
    otherCount += max(loads.count - Self.limit, 0)
  }
}

extension [String: QueueLoad] {
  /// Adds the loads of a stream's queues.
  fileprivate mutating func add(_ loads: [(queue: TracedQueue, load: QueueLoad)]) {
    for (queue, load) in loads {
      self[queue.name] = self[queue.name].map { $0.combined(with: load) } ?? load
    }
  }
}
