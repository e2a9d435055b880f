import CallTracing
import Glibc

/// A lock of the C library for which a thread waits, and the thread that holds it.
struct HeldLock: Hashable {
  let process: Int32
  let address: UInt64

  /// The kernel's number of the thread.
  let owner: Int32

  /// Where the locks of a function have their owner, by glibc's `bits/struct_mutex.h` and
  /// `bits/struct_rwlock.h`.
  private static let ownerPlaces: [String: UInt64] = [
    "pthread_mutex_lock": 8, "pthread_rwlock_rdlock": 24, "pthread_rwlock_wrlock": 24,
  ]

  /// The size of a lock, in which a thread waits.
  private static let size: UInt64 = 64

  /// The locks for which threads wait now, and did a moment ago: what the trace says of a thread
  /// may have ended since.
  ///
  /// - Parameter calls: The innermost open calls of threads.
  /// - Returns: The locks, by the threads that wait.
  static func awaited(by calls: [TraceRecord]) -> [TracedThread: HeldLock] {
    let first = held(calls)
    guard !first.isEmpty else { return [:] }
    usleep(20_000)
    let second = held(calls)
    return first.filter { second[$0.key] == $0.value }
  }

  private static func held(_ calls: [TraceRecord]) -> [TracedThread: HeldLock] {
    Dictionary(
      calls.compactMap { call in HeldLock(awaitedBy: call).map { (TracedThread(call), $0) } },
      uniquingKeysWith: { $1 })
  }

  /// Reads the memory of the process, which may run; nil if the thread does not wait for a lock
  /// that a thread holds, or if the process is gone.
  private init?(awaitedBy call: TraceRecord) {
    guard let place = Self.ownerPlaces[call.subject.name ?? ""],
      let text = call.arguments.first?.split(separator: " ").last, text.hasPrefix("0x"),
      let address = UInt64(text.dropFirst(2), radix: 16),
      let waiting = Self.systemCall(of: call), waiting &- address < Self.size,
      let owner = Self.number(at: address &+ place, in: call.process), owner > 0, owner < .max,
      Self.systemCall(of: call) == waiting
    else { return nil }
    (process, self.address, self.owner) = (call.process, address, owner)
  }

  /// The first argument of the system call in which a thread is; nil if it runs.
  private static func systemCall(of call: TraceRecord) -> UInt64? {
    let path = "/proc/\(call.process)/task/\(call.thread)/syscall"
    guard let text = FileContents.read(path) else { return nil }
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard words.count > 1 else { return nil }
    return UInt64(words[1].dropFirst(2), radix: 16)
  }

  private static func number(at address: UInt64, in process: Int32) -> Int32? {
    // SAFETY: the path is null-terminated for the call.
    let memory = unsafe open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { return nil }
    defer { close(memory) }
    var number: Int32 = 0
    let size = MemoryLayout.size(ofValue: number)
    // SAFETY: the kernel copies into the number, and refuses where the process has no memory.
    let count = unsafe pread(memory, &number, size, off_t(truncatingIfNeeded: address))
    return count == size ? number : nil
  }
}

extension HeldLock: CustomStringConvertible {
  var description: String { "lock 0x\(String(address, radix: 16))" }
}
