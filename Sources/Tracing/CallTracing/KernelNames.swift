extension TraceRecord {
  /// The kernel's name of the thread, now or when the thread was first seen.
  var nameOfThread: String {
    if processName != nil { return threadName ?? "thread" }
    return comm("/proc/self/task/\(thread)/comm") ?? "thread"
  }
}

/// The kernel's name of a thread or process, read from its file `comm`; nil if it has ended.
func comm(_ path: String) -> String? {
  let line = FileContents.read(path, limit: 64)?.split(separator: UInt8(ascii: "\n")).first
  return line.map { String(decoding: $0, as: UTF8.self) }
}
