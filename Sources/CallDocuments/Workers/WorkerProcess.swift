import CommandConventions
import Glibc

/// The process that makes calls, from the command's side: started when needed, and again after it died.
final class WorkerProcess {
  /// How a request came out.
  enum Reply {
    /// The worker answered.
    case answer(WorkerMessage)
    /// A signal ended the worker.
    case killed(signal: Int32)
    /// The worker exited.
    case exited(status: Int32)
  }

  /// How often a worker that says nothing is looked after, in milliseconds.
  private static let interval: Int32 = 50

  /// How long a worker that should end is waited for, in milliseconds.
  private static let patience = 1000

  private let streams: WorkerSpawn.Streams
  private var running: (process: pid_t, pipes: WorkerPipes)?

  /// Prepares a worker, which is started by the first request.
  init(_ streams: WorkerSpawn.Streams) {
    self.streams = streams
    // A worker that is gone is reported by its status; so is standard output that is closed.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Sends a request and waits for what becomes of it.
  ///
  /// - Throws: `noProcess` where no worker can be started.
  func ask(_ request: WorkerMessage) throws(Failure) -> Reply {
    // One that died since its last answer is not to blame for this request.
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
      // Nothing that comes after can be told apart: the worker ends, and says so.
      if pipes.isGarbled { kill(process, SIGKILL) }
      if let end = Self.end(of: process) {
        // What it wrote before it died has arrived by now.
        let answer = pipes.receive()
        let reply = ended(end)
        return answer.map { .answer($0) } ?? reply
      }
      pipes.waitToReceive(milliseconds: Self.interval)
    }
  }

  /// Lets the worker go: it ends when there are no more requests, or else is killed.
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

  /// How a process ended, nil while it runs; one that stopped is continued.
  private static func end(of process: pid_t) -> Reply? {
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
