private import Glibc

extension TraceRecord {
  /// The kernel's name of the thread, now or when the thread was first seen.
  var nameOfThread: String {
    if processName != nil { return threadName ?? "thread" }
    return comm("/proc/self/task/\(thread)/comm") ?? "thread"
  }
}

/// The kernel's name of a thread or process, read from its file `comm`; nil if it has ended.
func comm(_ path: String) -> String? {
  // SAFETY: the path is null-terminated for the duration of the call.
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  return unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
    // SAFETY: the buffer has the length that is passed to `read`.
    let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
    guard count > 0 else { return nil }
    let name = unsafe String(decoding: buffer.prefix(count), as: UTF8.self)
    return name.split(separator: "\n").first.map(String.init)
  }
}
