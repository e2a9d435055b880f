import CommandOptionsAndResults
import Glibc

/// The command's side of the worker process, which is started when needed, and again after it died.
final class WorkerProcess {
  /// The outcome of a request.
  enum Reply {
    /// The worker answered.
    case answer(WorkerMessage)
    /// A signal ended the worker.
    case killed(signal: Int32)
    /// The worker exited.
    case exited(status: Int32)
  }

  /// The interval at which a worker that does not answer is checked, in milliseconds.
  private static let interval: Int32 = 50

  /// The time that a worker gets to end before it is killed, in milliseconds.
  private static let patience = 1000

  private let streams: WorkerSpawn.Streams
  private var running: (process: pid_t, pipes: WorkerPipes)?

  /// Prepares a worker, which is started by the first request.
  init(_ streams: WorkerSpawn.Streams) {
    self.streams = streams
    // The end of a worker, and a closed standard output, are reported by other means than SIGPIPE.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Sends a request and waits for its outcome.
  ///
  /// - Throws: `noProcess` if no worker can be started.
  func ask(_ request: WorkerMessage) throws(Failure) -> Reply {
    // The end of a worker that died since its last answer must not be reported for this request.
    if let (process, pipes) = running, Self.end(of: process) != nil {
      pipes.close()
      running = nil
    }
    let (process, pipes) = try started()
    var rest = request.encoded[...]
    while !rest.isEmpty {
      if pipes.send(&rest) { continue }
      if let end = Self.end(of: process) { return ended(end) }
      pipes.waitToSend(milliseconds: Self.interval)
    }
    while true {
      if let answer = pipes.receive() { return .answer(answer) }
      // Later answers cannot be recognised any more: the worker is killed, which is reported.
      if pipes.isGarbled { kill(process, SIGKILL) }
      if let end = Self.end(of: process) {
        // Everything that it wrote before it died has arrived by now.
        let answer = pipes.receive()
        let reply = ended(end)
        return answer.map { .answer($0) } ?? reply
      }
      pipes.waitToReceive(milliseconds: Self.interval)
    }
  }

  /// Closes the pipes, upon which the worker ends; kills it if it does not end in time.
  func finish() {
    guard let (process, pipes) = running else { return }
    pipes.close()
    running = nil
    for _ in 0..<Self.patience {
      if Self.end(of: process) != nil { return }
      usleep(1000)
    }
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
  }

  private func started() throws(Failure) -> (process: pid_t, pipes: WorkerPipes) {
    if let running { return running }
    let started = try WorkerSpawn.start(streams)
    running = started
    return started
  }

  private func ended(_ reply: Reply) -> Reply {
    running?.pipes.close()
    running = nil
    return reply
  }

  /// The end of a process, nil while it runs; a stopped process is continued.
  private static func end(of process: pid_t) -> Reply? {
    // SAFETY: the status is a local variable for the duration of the call.
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, WNOHANG | WUNTRACED) == process else { return nil }
    // The layout of a wait status is Linux's, see wait(2).
    let low = status & 0x7F
    if low == 0 { return .exited(status: status >> 8 & 0xFF) }
    if status & 0xFF == 0x7F {
      kill(process, SIGCONT)
      return nil
    }
    return .killed(signal: low)
  }
}
