import CommandOptionsAndResults
import Glibc

/// The worker's ends of its two pipes.
///
/// A called function may close every descriptor, or reuse their numbers. The pipes are then opened
/// again through the command's own ends, which the kernel shows in `/proc`.
struct WorkerChannel {
  private var requests: End
  private var answers: End

  /// The descriptors of the ends, in the worker and in the command.
  struct Descriptors {
    /// The worker's descriptors.
    let requests: Int32
    let answers: Int32

    /// The command's process and its descriptors of the same pipes.
    let parent: Int32
    let parentRequests: Int32
    let parentAnswers: Int32
  }

  /// Takes ownership of the ends; programs that a called function starts do not inherit them.
  ///
  /// - Returns: Nil if there are no such descriptors.
  init?(_ descriptors: Descriptors) {
    guard getppid() == descriptors.parent,
      let requests = End(
        descriptors.requests, O_RDONLY,
        "/proc/\(descriptors.parent)/fd/\(descriptors.parentRequests)"),
      let answers = End(
        descriptors.answers, O_WRONLY, "/proc/\(descriptors.parent)/fd/\(descriptors.parentAnswers)"
      )
    else { return nil }
    self.requests = requests
    self.answers = answers
  }

  /// Waits for the next message; nil after the last one.
  mutating func receive() -> WorkerMessage? {
    guard requests.isOpen(), let header = requests.read(WorkerMessage.headerSize),
      let (kind, count) = WorkerMessage.header(header), let bytes = requests.read(count)
    else { return nil }
    return WorkerMessage(kind: kind, bytes: bytes)
  }

  /// Sends a message.
  ///
  /// - Returns: False if the command has closed the pipe.
  mutating func send(_ message: WorkerMessage) -> Bool {
    answers.isOpen() && FileDescriptor.write(message.encoded, to: answers.descriptor)
  }
}

/// One end of a pipe, identified by device and inode.
private struct End {
  private(set) var descriptor: Int32
  private let device: dev_t
  private let inode: ino_t
  private let mode: Int32
  private let path: String

  init?(_ descriptor: Int32, _ mode: Int32, _ path: String) {
    // SAFETY: the status is a local variable for the duration of the call.
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      return nil
    }
    (self.descriptor, self.mode, self.path) = (descriptor, mode, path)
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// Whether the descriptor is the pipe's end; opens it again if necessary.
  mutating func isOpen() -> Bool {
    if holdsPipe { return true }
    // SAFETY: the path is a C string for the duration of the call.
    descriptor = unsafe open(path, mode | O_CLOEXEC)
    return holdsPipe
  }

  private var holdsPipe: Bool {
    // SAFETY: the status is a local variable for the duration of the call.
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_dev == device
      && status.st_ino == inode
  }

  /// Reads exactly `count` bytes; nil if the pipe ends before.
  func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let wanted = min(1 << 16, count - bytes.count)
      guard let part = FileDescriptor.read(descriptor, upTo: wanted), !part.isEmpty else {
        return nil
      }
      bytes += part
    }
    return bytes
  }
}
