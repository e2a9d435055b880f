private import Glibc

/// A stream that a collector reads, and what becomes of the processes that write to it.
final class CollectedStream {
  let reader: TraceStreamReader
  let path: String

  /// How often in a row the stream was held up by a part that is not finished.
  private var holdUps = 0
  private var isDamaged = false
  private var isIdle = false

  /// When the processes were looked at, and since when none of them has been running.
  private var lastLook: UInt64 = 0
  private var deadSince: UInt64?

  /// A thread that is alive finishes a part long before the stream was read so often again.
  private static let patience = 5

  /// How long after a process died its fork may still have to make itself known.
  private static let grace: UInt64 = 1_000_000_000
  private static let interval: UInt64 = 200_000_000

  init(reader: TraceStreamReader, path: String) {
    self.reader = reader
    self.path = path
  }

  /// Reads what has been appended; what a process that is dead has not finished is passed over.
  func read(
    into records: inout [TraceRecord], limit: Int, isLast: Bool
  ) throws(HookError) {
    guard !isDamaged else { return }
    let before = records.count
    let passesOver =
      (isLast || holdUps > Self.patience) && runningProcessCount < reader.processes.count
    do throws(HookError) {
      let isHeldUp = try reader.read(into: &records, limit: limit, passesOver: passesOver)
      holdUps = isHeldUp ? holdUps + 1 : 0
      isIdle = records.count == before && !isHeldUp
    } catch {
      isDamaged = true
      isIdle = true
      throw error
    }
  }

  /// How many of the processes that write to the stream are running.
  var runningProcessCount: Int { reader.processes.count(where: Self.isRunning) }

  /// Whether all is read and nobody will append any more.
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

  /// Whether there is such a process that has not ended; a zombie has.
  private static func isRunning(_ process: Int32) -> Bool {
    // SAFETY: the path is a C string for the duration of the call, the buffer as long as `read` is
    // told.
    let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    let text = unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
      let count = unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
      return unsafe Array(buffer.prefix(max(count, 0)))
    }
    // The state follows the name, which is in parentheses and may hold others.
    guard let name = text.lastIndex(of: UInt8(ascii: ")")), name + 2 < text.count else {
      return false
    }
    return text[name + 2] != UInt8(ascii: "Z") && text[name + 2] != UInt8(ascii: "X")
  }
}
