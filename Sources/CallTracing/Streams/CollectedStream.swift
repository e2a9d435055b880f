internal import BlockHooks
private import Glibc

/// A stream that a collector reads, and the state of the processes that write to it.
final class CollectedStream {
  let reader: TraceStreamReader
  let path: String

  /// The part that blocked the last read, and how many reads in a row it has blocked.
  private var heldUpBy: TraceStreamReader.UnfinishedPart?
  private var holdUpCount = 0
  private var isDamaged = false
  private var isIdle = false

  /// The time of the last check of the processes, and since when none of them was running.
  private var lastLook: UInt64 = 0
  private var deadSince: UInt64?

  /// How many reads a part may block before its process is checked.
  private static let patience = 5

  /// How long after a process died its fork may still add itself to the stream.
  private static let grace: UInt64 = 1_000_000_000
  private static let interval: UInt64 = 200_000_000

  init(reader: TraceStreamReader, path: String) {
    self.reader = reader
    self.path = path
  }

  /// Reads what has been appended; a part that a dead process left unfinished is skipped.
  func read(
    into records: inout [TraceRecord], limit: Int, isLast: Bool
  ) throws(TraceError) {
    guard !isDamaged else { return }
    let before = records.count
    do throws(TraceError) {
      var isHeldUp = try reader.read(into: &records, limit: limit)
      while isHeldUp, isStuck || isLast, let part = reader.unfinishedPart, isAbandoned(part) {
        // SAFETY: the process that would finish the part is dead.
        unsafe reader.passOverUnfinishedPart()
        isHeldUp = try reader.read(into: &records, limit: limit)
      }
      isIdle = records.count == before && !isHeldUp
    } catch {
      isDamaged = true
      isIdle = true
      throw error
    }
  }

  /// Whether the same part has blocked too many reads in a row; counts this one.
  private var isStuck: Bool {
    holdUpCount = heldUpBy == reader.unfinishedPart ? holdUpCount + 1 : 0
    heldUpBy = reader.unfinishedPart
    return holdUpCount > Self.patience
  }

  /// Whether no process is left to finish a part.
  private func isAbandoned(_ part: TraceStreamReader.UnfinishedPart) -> Bool {
    part.process.map { !Self.isRunning($0) } ?? (runningProcessCount == 0)
  }

  /// How many of the processes that write to the stream are running.
  var runningProcessCount: Int { reader.processes.count(where: Self.isRunning) }

  /// Whether everything was read and no process will append any more.
  func isDead(at now: UInt64) -> Bool {
    guard isIdle, now >= lastLook + Self.interval else { return false }
    lastLook = now
    guard runningProcessCount == 0 else {
      deadSince = nil
      return false
    }
    guard let since = deadSince else {
      deadSince = now
      return false
    }
    return now >= since + Self.grace
  }

  /// Whether a process has not ended: a zombie has, unless only its first thread ended.
  private static func isRunning(_ process: Int32) -> Bool {
    // SAFETY: the path is null-terminated for the duration of the call, and the buffer has the
    // length that is passed to `read`.
    let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    let text = unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
      let count = unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
      return unsafe String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
    // The state follows the name, which is in parentheses and may contain others.
    guard let name = text.lastIndex(of: ")") else { return false }
    let fields = text[name...].split(separator: " ").dropFirst()
    guard let state = fields.first else { return false }
    let threadCount = fields.dropFirst(17).first.flatMap { Int($0) } ?? 1
    return state != "Z" && state != "X" || threadCount > 1
  }
}
