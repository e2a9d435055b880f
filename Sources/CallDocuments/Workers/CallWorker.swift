import CommandConventions
import Glibc
import Invocations

/// The process that makes calls, from its own side: it answers one request after the other.
struct CallWorker {
  private var channel: WorkerChannel
  private let process: Int32

  /// The libraries that the calls so far have loaded, in that order.
  private var libraries: [String] = []

  /// Takes the channel over, and ends with the command that started it.
  ///
  /// - Returns: Nil for a process that no command started.
  init?(_ place: WorkerChannel.Place) {
    guard let channel = WorkerChannel(place) else { return nil }
    self.channel = channel
    process = getpid()
    Self.dieOfFaults()
    Self.endWithParent(place.parent)
  }

  /// Answers requests until there are no more.
  mutating func run() -> Never {
    while let request = channel.receive() {
      let answer = answer(request)
      // After fork there are two of us: the copy has no answer to give.
      guard getpid() == process, channel.send(answer) else { break }
    }
    _exit(0)
  }

  private mutating func answer(_ request: WorkerMessage) -> WorkerMessage {
    let isJSON = request.kind != .words
    do throws(Failure) {
      let call =
        request.kind == .line
        ? try CallRequest(line: request.bytes) : try CallRequest(words: request.bytes)
      let prepared = try Call(call, loaded: libraries)
      if let library = call.library, !libraries.contains(library) { libraries.append(library) }
      let answer = try prepared.answer()
      let text = isJSON ? answer.json.text + "\n" : answer.text
      return WorkerMessage(kind: .success, bytes: Array(text.utf8))
    } catch {
      let text = isJSON ? error.json.text + "\n" : error.text
      return WorkerMessage(kind: .failure, bytes: Array(text.utf8))
    }
  }

  /// Takes away the handlers with which Swift's runtime prints a backtrace.
  ///
  /// A fault is to end the process at once; and `raise` would return where a handler takes the signal.
  private static func dieOfFaults() {
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT] {
      signal(number, SIG_DFL)
    }
  }

  /// Asks the kernel to kill this process when the command is gone, whatever it is doing then.
  private static func endWithParent(_ parent: Int32) {
    // PR_SET_PDEATHSIG of <sys/prctl.h>, which Swift does not import.
    let request = BoxedValue.integer(1)
    let signal = BoxedValue.integer(Int128(SIGKILL))
    // SAFETY: prctl is variadic, which Swift cannot call; this is its signature.
    if let prctl = unsafe try? CFunction(
      symbol: "prctl", signature: "iiQ", fixedArgumentCount: 1)
    {
      _ = try? prctl.call(boxed: [request, signal])
    }
    if getppid() != parent { _exit(0) }
  }
}
