private import CCallTracing.TraceStream
private import Glibc

/// The reader's end of a stream: makes records of what another process appended.
///
/// The contents of a stream are not trusted: invalid data is an error, and is never used to read
/// outside the stream's memory.
@safe
package final class TraceStreamReader {
  // SAFETY: one thread at a time uses the stream, as the class is not `Sendable`; bodies are copied
  // before they are decoded, because other processes can still write to them.

  /// The process that created the stream.
  package let process: Int32

  /// That process's name.
  package let processName: String

  /// The processes that write to the stream, as of the last `read`: its creator and the creator's
  /// forks.
  package private(set) var processes: Set<Int32> = []

  /// The reason why nothing can be traced; nil if the program can be traced.
  package var refusal: TraceRefusal? { decoder.refusal }

  /// The latest time in the records read so far.
  package var latest: UInt64 { decoder.latest }

  private var knownProcessCount: UInt32 = 0
  private var stream: cbr_trace_stream
  private var decoder: StreamDecoder

  /// The body of the part that is decoded.
  private var body: [UInt8] = []

  /// Opens a stream.
  ///
  /// - Parameter path: The path of the stream's file.
  /// - Throws: `damagedTrace`.
  package init(path: String) throws(TraceError) {
    var opened = unsafe cbr_trace_stream()
    let error = unsafe cbr_trace_stream_open(&opened, path)
    guard error == 0 else {
      let reason =
        error == EINVAL
        ? "it is no stream of this version" : unsafe String(cString: strerror(error))
      throw TraceError(.damagedTrace, "\(path): \(reason); trace the program again")
    }
    unsafe stream = unsafe opened
    process = unsafe cbr_trace_stream_process(&opened, 0)
    processName = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { name in
      let start = unsafe name.baseAddress.unsafelyUnwrapped
      unsafe cbr_trace_stream_name(&opened, start)
      return unsafe String(cString: start)
    }
    decoder = StreamDecoder(processName: processName)
  }

  deinit { unsafe cbr_trace_stream_close(&stream) }

  /// How many calls were dropped for lack of room.
  package var droppedCount: Int {
    unsafe Int(truncatingIfNeeded: cbr_trace_stream_dropped(&stream))
  }

  /// How much the queues had to do so far.
  package var queueLoads: [(queue: TracedQueue, load: QueueLoad)] { decoder.queueLoads }

  /// How many calls are in progress.
  package var openCallCount: Int { decoder.openCallCount }

  /// A part that its writer has not finished, and that blocks reading.
  struct UnfinishedPart: Equatable {
    /// The position in the stream.
    let place: UInt64
    /// The process that writes the part; nil if it has not recorded that yet.
    let process: Int32?
  }

  /// The part that blocked the last read; nil if none did.
  private(set) var unfinishedPart: UnfinishedPart?

  /// Reads what has been appended, up to the first unfinished part.
  ///
  /// - Parameters:
  ///   - records: Receives the calls that have ended.
  ///   - limit: The maximum number of parts to read; a call has two.
  /// - Returns: Whether an unfinished part was found.
  /// - Throws: `damagedTrace`; the stream cannot be read any further.
  package func read(
    into records: inout [TraceRecord], limit: Int = .max
  ) throws(TraceError) -> Bool {
    findProcesses()
    unfinishedPart = nil
    var part = unsafe cbr_trace_part()
    for _ in 0..<limit {
      switch unsafe cbr_trace_stream_next(&stream, &part) {
      case CBR_TRACE_NOTHING: return false
      case CBR_TRACE_UNFINISHED:
        unfinishedPart = unsafe UnfinishedPart(
          place: part.place, process: part.process == 0 ? nil : part.process)
        return true
      case CBR_TRACE_RECORD:
        body.removeAll(keepingCapacity: true)
        unsafe body.append(
          contentsOf: UnsafeRawBufferPointer(start: part.body, count: Int(part.size)))
        unsafe cbr_trace_stream_consume(&stream, part.size)
        do throws(DamagedRecord) {
          try decoder.decode(body, unsafe part.place, into: &records)
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
  @unsafe
  package func passOverUnfinishedPart() {
    guard unfinishedPart != nil else { return }
    unsafe cbr_trace_stream_pass_over(&stream)
    unfinishedPart = nil
  }

  /// The calls in progress, as calls that lasted until now.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Their records, in the order in which they began.
  package func unfinishedRecords(at now: UInt64) -> [TraceRecord] {
    decoder.unfinishedRecords(at: now)
  }

  /// The blocks that were sent to queues and have not begun.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Their records, in the order in which they were sent.
  package func pendingRecords(at now: UInt64) -> [TraceRecord] {
    unsafe decoder.pendingRecords(at: now, gaps: cbr_trace_stream_gaps(&stream))
  }

  private func findProcesses() {
    let count = unsafe cbr_trace_stream_process_count(&stream)
    if count &- knownProcessCount > 512 { knownProcessCount = count &- 512 }
    // A process whose entry is not written yet is found by the next read.
    while knownProcessCount != count {
      let process = unsafe cbr_trace_stream_process(&stream, knownProcessCount)
      guard process > 0 else { return }
      processes.insert(process)
      knownProcessCount &+= 1
    }
  }

  private func damage(_ reason: String) -> TraceError {
    TraceError(
      .damagedTrace,
      "the stream of process \(process) (\(processName)) is damaged: \(reason); the program may "
        + "have written over it")
  }
}
