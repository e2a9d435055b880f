private import BlockRuntimeErrors
private import BlockRuntimeThreads
private import Glibc

/// The destination of a sink: a file, standard error, or a closure.
///
/// Records that cannot be written are lost, and counted by the sink.
public final class TraceOutput: Sendable {
  private enum Target: Sendable {
    case closure(@Sendable (String) -> Void)
    /// If only this output uses the descriptor, it closes it, and removes incomplete writes.
    case descriptor(Int32, isOwned: Bool)
  }

  private let target: Target
  private let writing = Locked(())

  /// Standard error.
  public static let standardError = TraceOutput(fileDescriptor: STDERR_FILENO)

  /// Writes by calling a closure.
  ///
  /// - Parameter receive: Receives whole lines, on the tracer's thread and without a lock held.
  public init(_ receive: @escaping @Sendable (_ text: String) -> Void) {
    target = .closure(receive)
  }

  /// Writes to a descriptor, which is not closed, and must stay open until the tracer is closed.
  ///
  /// - Parameter fileDescriptor: A file, pipe, socket or terminal.
  public init(fileDescriptor: Int32) { target = .descriptor(fileDescriptor, isOwned: false) }

  /// Writes to a file, which is created for this user alone, or emptied if it exists.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: `outputUnavailable`.
  public init(path: String) throws(TraceError) {
    // Opening a pipe without a reader fails instead of blocking. Afterwards writing may block.
    // SAFETY: the path is null-terminated for the duration of the call.
    let descriptor = unsafe open(
      path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      let reason = SystemError.text(errno)
      throw TraceError(
        .outputUnavailable, "\(path): \(reason); give a path where this process may create a file")
    }
    _ = fcntl(descriptor, F_SETFL, O_WRONLY)
    target = .descriptor(descriptor, isOwned: true)
  }

  deinit {
    if case .descriptor(let descriptor, isOwned: true) = target { close(descriptor) }
  }

  /// Whether this and another output write to one regular file.
  package func isSameFile(as other: TraceOutput) -> Bool {
    guard case .descriptor(let own, _) = target, case .descriptor(let others, _) = other.target
    else { return false }
    var (first, second) = (stat(), stat())
    // SAFETY: each call fills the structure that is passed to it.
    guard unsafe fstat(own, &first) == 0, unsafe fstat(others, &second) == 0 else { return false }
    return first.st_mode & S_IFMT == S_IFREG && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }

  /// Writes bytes that end with a complete line.
  ///
  /// - Returns: False if not all could be written. A file is then cut back to its previous end, if
  ///   possible; other destinations may have received a part.
  package func write(_ bytes: [UInt8]) -> Bool {
    switch target {
    case .closure(let receive):
      receive(String(decoding: bytes, as: UTF8.self))
      return true
    case .descriptor(let descriptor, let isOwned):
      return writing.withLock { _ in
        let end = isOwned ? lseek(descriptor, 0, SEEK_CUR) : -1
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
        // SAFETY: the buffer has the length that is passed to `write`.
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

  /// Waits up to a tenth of a second until a non-blocking descriptor accepts more.
  private static func isReadySoon(_ descriptor: Int32) -> Bool {
    guard errno == EAGAIN else { return false }
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // SAFETY: the pointer is to one request.
    return unsafe poll(&request, 1, 100) == 1
  }
}

/// Writes to a pipe without a reader, without the signal that would end the process.
private enum BrokenPipe {
  static func ignored(_ body: () -> Bool) -> Bool {
    var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
    // SAFETY: the functions access only the sets passed to them, which outlive the calls.
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
