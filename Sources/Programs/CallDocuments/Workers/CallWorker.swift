import CommandOptionsAndResults
import Glibc
import Invocations

/// The worker process's own side: it makes the requested calls, and answers one after the other.
struct CallWorker {
  private var channel: WorkerChannel
  private let process: Int32

  /// The libraries that earlier calls have loaded, the first one first.
  private var libraries: [String] = []

  /// Takes ownership of the channel, and has the kernel end this process with the command.
  ///
  /// - Returns: Nil if no command started this process.
  init?(_ descriptors: WorkerChannel.Descriptors) {
    guard let channel = WorkerChannel(descriptors) else { return nil }
    self.channel = channel
    process = getpid()
    Self.dieOfFaults()
    Self.endWithParent(descriptors.parent)
  }

  /// Answers requests until the command closes the channel.
  mutating func run() -> Never {
    while let request = channel.receive() {
      let answer = answer(request)
      // If the called function forked, only the original process answers.
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
      let answer = try prepared.run()
      let text = isJSON ? answer.json.text + "\n" : answer.text
      return WorkerMessage(kind: .success, bytes: Array(text.utf8))
    } catch {
      let text = isJSON ? error.json.text + "\n" : error.text
      return WorkerMessage(kind: .failure, bytes: Array(text.utf8))
    }
  }

  /// Removes the signal handlers with which Swift's runtime prints a backtrace.
  ///
  /// A fault must end the process at once, and `raise` would return if a handler ran.
  private static func dieOfFaults() {
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT] {
      signal(number, SIG_DFL)
    }
  }

  /// Asks the kernel to kill this process when the command ends.
  private static func endWithParent(_ parent: Int32) {
    // PR_SET_PDEATHSIG of <sys/prctl.h>, which Swift does not import.
    let request = CValue.integer(1)
    let signal = CValue.integer(Int128(SIGKILL))
    // SAFETY: this is the signature of prctl for this request; Swift cannot call variadic
    // functions.
    if let prctl = unsafe try? CFunction(
      symbol: "prctl", signature: "iiQ", fixedArgumentCount: 1)
    {
      _ = try? prctl.call(values: [request, signal])
    }
    if getppid() != parent { _exit(0) }
  }
}
