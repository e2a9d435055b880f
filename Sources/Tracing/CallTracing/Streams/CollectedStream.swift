private import CCallTracing.TraceProcesses
private import CCallTracing.TraceStream

/// A stream that a collector reads, and the state of the processes that write to it.
final class CollectedStream {
  let reader: TraceStreamReader
  let path: String

  /// The part that blocked the last read, and how many reads in a row it has blocked.
  private var heldUpBy: TraceStreamReader.UnfinishedPart?
  private var holdUpCount = 0
  private var isDamaged = false
  private var isIdle = false

  /// The time of the last check of the processes.
  private var lastLook: UInt64 = 0

  /// How many reads a part may block before its process is checked.
  private static let patience = 5
  private static let interval: UInt64 = 200_000_000

  init(reader: TraceStreamReader, path: String) {
    self.reader = reader
    self.path = path
  }

  /// Reads what has been appended, about so many bytes; a part that a dead process left unfinished
  /// is skipped.
  func read(into records: inout [TraceRecord], limit: Int) throws(TraceError) {
    var left = limit
    try read(into: &records, limit: &left, isLast: false)
  }

  /// Reads what has been appended when nothing more is awaited.
  ///
  /// It reads no more than the stream holds at once: a program may append without end.
  func readRest(into records: inout [TraceRecord]) throws(TraceError) {
    var left = reader.capacity + 1
    try read(into: &records, limit: &left, isLast: true)
    if left <= 0, !isDamaged, !hasWriter {
      throw reader.damage("it grows, though its processes have ended")
    }
  }

  private func read(
    into records: inout [TraceRecord], limit left: inout Int, isLast: Bool
  ) throws(TraceError) {
    guard !isDamaged else { return }
    let limit = left
    do throws(TraceError) {
      var isHeldUp = try reader.read(into: &records, limit: &left)
      while isHeldUp, countHoldUp() || isLast, left > 0, let part = reader.unfinishedPart,
        isAbandoned(part)
      {
        // SAFETY: the process that would finish the part is dead.
        left -= unsafe max(reader.passOverUnfinishedPart(), 1)
        isHeldUp = try reader.read(into: &records, limit: &left)
      }
      isIdle = left == limit && !isHeldUp
    } catch {
      isDamaged = true
      isIdle = true
      throw error
    }
  }

  /// Counts a read that this part blocked; a new part begins at zero, so one read skips at most one
  /// part unless it is the last read.
  ///
  /// - Returns: Whether the part has blocked too many reads in a row.
  private func countHoldUp() -> Bool {
    holdUpCount = heldUpBy == reader.unfinishedPart ? holdUpCount + 1 : 0
    heldUpBy = reader.unfinishedPart
    return holdUpCount > Self.patience
  }

  /// Whether no process is left to finish a part.
  private func isAbandoned(_ part: TraceStreamReader.UnfinishedPart) -> Bool {
    part.process.map(cbr_trace_process_has_ended) == true || !hasWriter
  }

  /// Whether a process can still write to the stream.
  var hasWriter: Bool {
    // SAFETY: the path is null-terminated for the duration of the call.
    unsafe cbr_trace_stream_has_writer(path)
  }

  /// Whether everything was read and no process will append any more.
  func isDead(at now: UInt64) -> Bool {
    guard isIdle, now >= lastLook &+ Self.interval else { return false }
    lastLook = now
    return !hasWriter
  }
}
