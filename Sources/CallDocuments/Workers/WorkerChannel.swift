import Glibc

/// The ends of the two pipes that a worker holds.
///
/// A called function may close every descriptor, or put others in their places. The pipes are then
/// opened again through the command's own ends, which the kernel shows in `/proc`.
struct WorkerChannel {
  private var requests: End
  private var answers: End

  /// Where the ends are found, in the worker and in the command.
  struct Place {
    /// The worker's descriptors.
    let requests: Int32
    let answers: Int32

    /// The command's process and its descriptors of the same pipes.
    let parent: Int32
    let parentRequests: Int32
    let parentAnswers: Int32
  }

  /// Takes the ends over; they do not reach the programs that a called function starts.
  ///
  /// - Returns: Nil where there are no such descriptors.
  init?(_ place: Place) {
    guard getppid() == place.parent,
      let requests = End(
        place.requests, O_RDONLY, "/proc/\(place.parent)/fd/\(place.parentRequests)"),
      let answers = End(
        place.answers, O_WRONLY, "/proc/\(place.parent)/fd/\(place.parentAnswers)")
    else { return nil }
    self.requests = requests
    self.answers = answers
  }

  /// Waits for the next message; nil at the end of them all.
  mutating func receive() -> WorkerMessage? {
    guard requests.isOpen(), let header = requests.read(WorkerMessage.headerSize),
      let (kind, count) = WorkerMessage.header(header), let bytes = requests.read(count)
    else { return nil }
    return WorkerMessage(kind: kind, bytes: bytes)
  }

  /// Sends a message.
  ///
  /// - Returns: False where the command cannot be reached any more.
  mutating func send(_ message: WorkerMessage) -> Bool {
    answers.isOpen() && answers.write(message.encoded)
  }
}

/// One end of a pipe, known by the pipe's identity.
private struct End {
  private var descriptor: Int32
  private let device: dev_t
  private let inode: ino_t
  private let mode: Int32
  private let path: String

  init?(_ descriptor: Int32, _ mode: Int32, _ path: String) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      return nil
    }
    (self.descriptor, self.mode, self.path) = (descriptor, mode, path)
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// Whether the end is there, if necessary again.
  mutating func isOpen() -> Bool {
    if holdsPipe { return true }
    descriptor = unsafe open(path, mode | O_CLOEXEC)
    return holdsPipe
  }

  private var holdsPipe: Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_dev == device
      && status.st_ino == inode
  }

  /// Reads exactly so many bytes; nil if the pipe ends before.
  func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(count, 1 << 16))
    while bytes.count < count {
      let wanted = min(chunk.count, count - bytes.count)
      // SAFETY: the chunk is at least as long as the kernel is told.
      let received = unsafe chunk.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, wanted)
      }
      if received < 0 && errno == EINTR { continue }
      guard received > 0 else { return nil }
      bytes += chunk[..<received]
    }
    return bytes
  }

  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // SAFETY: the buffer is as long as the kernel is told.
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
