import CommandOptionsAndResults
import Glibc

/// The command's ends of the two pipes to a worker; both are non-blocking.
final class WorkerPipes {
  /// The descriptor to which requests are written.
  let requests: Int32

  /// The descriptor from which answers are read.
  let answers: Int32

  private var received: [UInt8] = []
  private var isHungUp = false

  /// Takes ownership of two descriptors.
  init(requests: Int32, answers: Int32) {
    (self.requests, self.answers) = (requests, answers)
    for descriptor in [requests, answers] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  /// Closes both ends.
  func close() {
    Glibc.close(requests)
    Glibc.close(answers)
  }

  /// Writes some of the bytes, and removes them from the slice.
  ///
  /// - Returns: False if none can be written now.
  func send(_ bytes: inout ArraySlice<UInt8>) -> Bool {
    // SAFETY: the pointer and the count are those of one buffer, which lives for the call.
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe write(requests, buffer.baseAddress, buffer.count)
    }
    guard count > 0 else { return count < 0 && errno == EINTR }
    bytes = bytes.dropFirst(count)
    return true
  }

  /// The next message, if all of it has arrived.
  func receive() -> WorkerMessage? {
    isHungUp = false
    while !isHungUp, let part = FileDescriptor.read(answers) {
      isHungUp = part.isEmpty
      received += part
    }
    guard let (kind, count) = WorkerMessage.header(received.prefix(WorkerMessage.headerSize)),
      received.count - WorkerMessage.headerSize >= count
    else { return nil }
    let bytes = Array(received[WorkerMessage.headerSize...].prefix(count))
    received.removeFirst(WorkerMessage.headerSize + count)
    return WorkerMessage(kind: kind, bytes: bytes)
  }

  /// Whether the received bytes are not an answer, because the called function wrote into the pipe.
  var isGarbled: Bool {
    guard let first = received.first else { return false }
    let isKnown = [WorkerMessage.Kind.success, .failure].contains { $0.rawValue == first }
    let announced = WorkerMessage.header(received.prefix(WorkerMessage.headerSize))?.count ?? 0
    let largestAnswer = 1 << 32
    return !isKnown || announced > largestAnswer
  }

  /// Waits until bytes can be written, or until the timeout.
  func waitToSend(milliseconds: Int32) { wait(requests, POLLOUT, milliseconds) }

  /// Waits until bytes arrive, or until the timeout.
  func waitToReceive(milliseconds: Int32) {
    // The pipe has no writer now: the worker is ending, or a called function has closed it.
    if isHungUp {
      usleep(1000)
    } else {
      wait(answers, POLLIN, milliseconds)
    }
  }

  private func wait(_ descriptor: Int32, _ event: Int32, _ milliseconds: Int32) {
    var awaited = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    // SAFETY: `awaited` is one local variable for the duration of the call.
    let isReady = unsafe poll(&awaited, 1, milliseconds) > 0
    if isReady && Int32(awaited.revents) & event == 0 { usleep(1000) }
  }
}
