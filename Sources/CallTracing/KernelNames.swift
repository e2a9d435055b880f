private import Glibc

extension TraceRecord {
  /// What the kernel calls the thread, or called it when it was first seen.
  var nameOfThread: String {
    if processName != nil { return threadName ?? "thread" }
    return comm("/proc/self/task/\(thread)/comm") ?? "thread"
  }
}

/// What the kernel calls a thread or process, by its file `comm`; nil if it has ended.
func comm(_ path: String) -> String? {
  // SAFETY: the path is a C string for the duration of the call.
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  return unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
    // SAFETY: the buffer is as long as `read` is told.
    let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
    guard count > 0 else { return nil }
    let name = unsafe String(decoding: buffer.prefix(count), as: UTF8.self)
    return name.split(separator: "\n").first.map(String.init)
  }
}
