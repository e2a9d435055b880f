private import BlockRuntimeErrors
private import CCallTracing.TraceStream
private import Glibc

/// The reader's end of a stream: makes records of what another process appended.
///
/// The contents of a stream are not trusted, and may change or vanish while they are read: invalid
/// data is an error, and is never used to read outside the stream's memory.
@safe
package final class TraceStreamReader {
  // SAFETY: one thread at a time uses the stream, as the class is not `Sendable`; bodies are copied
  // before they are decoded, because other processes can still write to them.

  /// The process that created the stream.
  package let process: Int32

  /// That process's name.
  package let processName: String

  /// The reason why nothing can be traced; nil if the program can be traced.
  package var refusals: [TraceRefusal] { decoder.refusals }

  /// The latest time in the records read so far.
  package var latest: UInt64 { decoder.latest }

  private var stream: cbr_trace_stream
  private var decoder: StreamDecoder

  /// Opens a stream.
  ///
  /// - Parameter path: The path of the stream's file.
  /// - Throws: `damagedTrace`.
  package convenience init(path: String) throws(TraceError) {
    try self.init(path: path, among: nil, capacity: .max)
  }

  /// Opens a stream of one of several processes that have streams of a capacity, in bytes, at most.
  init(
    path: String, among processes: CollectedProcesses?, capacity: Int
  ) throws(TraceError) {
    var opened = unsafe cbr_trace_stream()
    let error = unsafe cbr_trace_stream_open(&opened, path)
    guard error == 0 else {
      let reason =
        error == EINVAL
        ? "it is no stream of this version" : SystemError.text(error)
      throw TraceError(.damagedTrace, "\(path): \(reason); trace the program again")
    }
    guard unsafe opened.capacity <= capacity else {
      unsafe cbr_trace_stream_close(&opened)
      throw TraceError(
        .damagedTrace, "\(path): it is larger than what may wait; trace the program again")
    }
    unsafe stream = unsafe opened
    process = unsafe opened.process
    processName = unsafe withUnsafeBytes(of: opened.name) { name in
      unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }
    let program = unsafe withUnsafeBytes(of: opened.program) { path in
      unsafe String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
    }
    decoder = StreamDecoder(
      StreamSpeakers(process, among: processes), processName: processName, program: program)
  }

  deinit { unsafe cbr_trace_stream_close(&stream) }

  /// How many calls were dropped for lack of room.
  package var droppedCount: Int {
    guarded { unsafe Int(clamping: cbr_trace_stream_dropped(&stream)) }
  }

  /// How many records of other things than calls were dropped for lack of room.
  package var missingCount: Int {
    max(Int(clamping: gaps) - droppedCount, 0)
  }

  /// How many records of any kind were dropped.
  private var gaps: UInt32 { guarded { unsafe cbr_trace_stream_gaps(&stream) } }

  /// How many bytes the stream holds at most.
  var capacity: Int { unsafe Int(clamping: stream.capacity) }

  /// Calls a closure that reads the stream's memory.
  private func guarded<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe cbr_trace_stream_guard(&stream)
    defer { cbr_trace_stream_unguard() }
    return try body()
  }

  /// Why the values of some calls cannot be read; nil if those of all can.
  package var unreadValues: TraceError? {
    let signatures = decoder.codes.unreadSignatures.sorted().map(\.debugDescription)
    guard !signatures.isEmpty else { return nil }
    return TraceError(
      .damagedTrace,
      "process \(process) (\(processName)) has calls whose values are left out, because their "
        + "signatures cannot be used: \(signatures.joined(separator: ", ")); trace the "
        + "program with the hook-demo of the library that it was built with")
  }

  /// What was forgotten because the program has more of it than is kept; nil if nothing was.
  package var forgottenValues: TraceError? {
    let forgotten = decoder.forgotten
    guard !forgotten.isEmpty else { return nil }
    return TraceError(
      .damagedTrace,
      "process \(process) (\(processName)) has more than is kept, of which the oldest are missing ("
        + forgotten.joined(separator: ", ") + "): the program may leave calls by longjmp, or send "
        + "blocks that never begin; trace fewer functions or images")
  }

  /// How much the queues had to do so far.
  package var queueLoads: [(queue: TracedQueue, load: QueueLoad)] { decoder.submissions.queueLoads }

  /// How many records of actors, waits and resumptions there were.
  package var hopCount: Int { decoder.hopCount }

  /// How much the actors had to do so far.
  package var actorLoads: [(actor: TracedActor, load: ActorLoad)] { decoder.actorLoads }

  /// How many calls are in progress.
  package var openCallCount: Int { decoder.openCalls.count }

  /// A part that its writer has not finished, and that blocks reading.
  struct UnfinishedPart: Equatable {
    /// The position in the stream.
    let place: UInt64
    /// The process that writes the part; nil if that is not known.
    let process: Int32?
  }

  /// The part that blocked the last read; nil if none did.
  private(set) var unfinishedPart: UnfinishedPart?

  /// Reads what has been appended, up to the first unfinished part.
  ///
  /// - Parameter records: Receives the calls that have ended.
  /// - Returns: Whether an unfinished part was found.
  /// - Throws: `damagedTrace`; the stream cannot be read any further.
  package func read(into records: inout [TraceRecord]) throws(TraceError) -> Bool {
    var limit = Int.max
    return try read(into: &records, limit: &limit)
  }

  /// Reads what has been appended, up to the first unfinished part.
  ///
  /// - Parameters:
  ///   - records: Receives the calls that have ended.
  ///   - limit: How many bytes to read, less those that were read afterwards; the last part may
  ///     have more than are left.
  /// - Returns: Whether an unfinished part was found.
  /// - Throws: `damagedTrace`; the stream cannot be read any further.
  func read(
    into records: inout [TraceRecord], limit: inout Int
  ) throws(TraceError) -> Bool {
    try guarded { () throws(TraceError) in
      unsafe try read(&stream, &decoder, into: &records, limit: &limit)
    }
  }

  private func read(
    _ stream: inout cbr_trace_stream, _ decoder: inout StreamDecoder,
    into records: inout [TraceRecord], limit: inout Int
  ) throws(TraceError) -> Bool {
    unfinishedPart = nil
    var part = unsafe cbr_trace_part()
    var body: [UInt8] = []
    while limit > 0 {
      switch unsafe cbr_trace_stream_next(&stream, &part) {
      case CBR_TRACE_NOTHING: return false
      case CBR_TRACE_UNFINISHED:
        unfinishedPart = unsafe UnfinishedPart(
          place: part.place, process: part.process == 0 ? nil : part.process)
        return true
      case CBR_TRACE_RECORD:
        let bytes = unsafe UnsafeRawBufferPointer(start: part.body, count: Int(part.size))
        if body.count < bytes.count { body = Array(repeating: 0, count: bytes.count) }
        unsafe body.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
        let start = unsafe stream.tail
        unsafe cbr_trace_stream_consume(&stream, part.size)
        limit -= unsafe Int(clamping: stream.tail - start)
        do throws(DamagedRecord) {
          try decoder.decode(body[..<bytes.count], unsafe part.place, into: &records)
        } catch {
          throw damage(error.reason)
        }
      default: throw damage("the next data is not a record")
      }
    }
    return false
  }

  /// Skips the part that blocks reading, unless it was finished meanwhile.
  ///
  /// ## Safety
  /// The part's process must be dead; if it is not known, all processes that write to the stream
  /// must be. A living one would write over other records.
  ///
  /// - Returns: How many bytes were skipped.
  @unsafe @discardableResult
  package func passOverUnfinishedPart() -> Int {
    guard unfinishedPart != nil else { return 0 }
    let start = unsafe stream.tail
    guarded { unsafe cbr_trace_stream_pass_over(&stream) }
    unfinishedPart = nil
    return unsafe Int(clamping: stream.tail - start)
  }

  /// What has not finished, which may go on: the calls in progress, and what `pendingRecords` has.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Their records.
  func openRecords(at now: UInt64) -> [TraceRecord] {
    var copy = decoder
    return copy.unfinishedRecords(at: now) + copy.pendingRecords(at: now, gaps: gaps)
  }

  /// The calls in progress, as calls that lasted until now.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Their records, in the order in which they began.
  package func unfinishedRecords(at now: UInt64) -> [TraceRecord] {
    decoder.unfinishedRecords(at: now)
  }

  /// The blocks that were sent to queues and have not begun, and the tasks that are suspended.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Their records, in the order in which they were sent; then those of tasks.
  package func pendingRecords(at now: UInt64) -> [TraceRecord] {
    decoder.pendingRecords(at: now, gaps: gaps)
  }

  /// Whether blocks have been sent and not begun that will begin soon.
  var hasBlocksThatBegin: Bool { decoder.submissions.hasBlocksThatBegin }

  /// Ends what waits, because what happens from now on is not seen.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: The records of the blocks and tasks that wait.
  func pause(at now: UInt64) -> [TraceRecord] {
    decoder.pause(at: now, gaps: gaps)
  }

  /// Goes on after `pause`.
  func resume() { decoder.resume() }

  /// Notes that a process has a stream of its own from now on.
  func exclude(_ other: Int32) {
    let end = guarded { unsafe cbr_trace_stream_reserved_end(&stream) }
    decoder.speakers.exclude(other, behind: end)
  }

  /// Gives the memory back that the stream has: no later record finds room.
  ///
  /// Nothing can be read afterwards.
  func end() { guarded { unsafe cbr_trace_stream_end(&stream) } }

  /// The error of a stream that cannot be read any further.
  func damage(_ reason: String) -> TraceError {
    TraceError(
      .damagedTrace,
      "the stream of process \(process) (\(processName)) is damaged: \(reason); the program may "
        + "have written over it, and its later calls are missing")
  }
}
