private import BlockRuntimeThreads
private import Glibc

/// Where a sink writes: a file, standard error, or a closure.
///
/// What cannot be written is lost, and counted by the sink.
public final class TraceOutput: Sendable {
  private enum Target: Sendable {
    case closure(@Sendable (String) -> Void)
    case descriptor(Int32)
  }

  private let target: Target

  /// Whether the descriptor is this output's alone: it closes it, and takes back what it could
  /// write only in part.
  private let isOwner: Bool
  private let writing = Locked(())

  /// Standard error.
  public static let standardError = TraceOutput(fileDescriptor: STDERR_FILENO)

  /// Writes by calling a closure.
  ///
  /// - Parameter receive: Receives whole lines, on the tracer's thread and under no lock.
  public init(_ receive: @escaping @Sendable (_ text: String) -> Void) {
    target = .closure(receive)
    isOwner = false
  }

  /// Writes to a descriptor, which stays open and must not be closed before the tracer is.
  ///
  /// - Parameter fileDescriptor: A file, pipe, socket or terminal.
  public init(fileDescriptor: Int32) {
    target = .descriptor(fileDescriptor)
    isOwner = false
  }

  /// Writes to a file, which is created, or emptied if it exists.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: `outputUnavailable`.
  public init(path: String) throws(TraceError) {
    // A pipe that nobody reads is refused, not waited for. From then on writing may wait.
    // SAFETY: the path is a C string for the duration of the call.
    let descriptor = unsafe open(
      path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard descriptor >= 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw TraceError(
        .outputUnavailable, "\(path): \(reason); give a path where this process may create a file")
    }
    _ = fcntl(descriptor, F_SETFL, O_WRONLY)
    target = .descriptor(descriptor)
    isOwner = true
  }

  deinit {
    if case .descriptor(let descriptor) = target, isOwner { close(descriptor) }
  }

  /// Writes bytes that end with a line.
  ///
  /// - Returns: False if not all could be written. A file then ends where it did before, if it can be
  ///   cut; anything else may have received a part.
  func write(_ bytes: [UInt8]) -> Bool {
    switch target {
    case .closure(let receive):
      receive(String(decoding: bytes, as: UTF8.self))
      return true
    case .descriptor(let descriptor):
      return writing.withLock { _ in
        let end = isOwner ? lseek(descriptor, 0, SEEK_CUR) : -1
        if BrokenPipe.ignored({ Self.writeAll(bytes, to: descriptor) }) { return true }
        if end >= 0, ftruncate(descriptor, end) == 0 { lseek(descriptor, end, SEEK_SET) }
        return false
      }
    }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      while unsafe !rest.isEmpty {
        // SAFETY: the buffer is as long as `write` is told.
        let count = unsafe Glibc.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          unsafe rest = unsafe rest.dropFirst(count)
        } else if count == 0 || (errno != EINTR && !isReadySoon(descriptor)) {
          return false
        }
      }
      return true
    }
  }

  /// Waits for a descriptor that does not block to take more, for a tenth of a second.
  private static func isReadySoon(_ descriptor: Int32) -> Bool {
    guard errno == EAGAIN else { return false }
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // SAFETY: it is one request.
    return unsafe poll(&request, 1, 100) == 1
  }
}

/// Writing to a pipe that nobody reads, without the signal that would end the process.
private enum BrokenPipe {
  static func ignored(_ body: () -> Bool) -> Bool {
    var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
    // SAFETY: the functions write the sets that they are given.
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe sigpending(&pending)
    let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    let isDone = body()
    if !isDone, errno == EPIPE, !wasPending {
      var none = timespec()
      _ = unsafe sigtimedwait(&pipe, nil, &none)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    return isDone
  }
}
