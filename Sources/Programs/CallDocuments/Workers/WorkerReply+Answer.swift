import CommandOptionsAndResults
import Glibc

extension WorkerProcess.Reply {
  /// The answer of the worker.
  ///
  /// - Throws: `terminated` if the worker process ended without an answer.
  func answer(symbol: String? = nil) throws(Failure) -> WorkerMessage {
    let subject = "\(symbol ?? "the call") ended the process that ran it"
    switch self {
    case .answer(let message): return message
    case .killed(let signal):
      // SAFETY: the text lives until the thread's next call of strsignal; it is copied at once.
      let name = unsafe strsignal(signal).map { unsafe String(cString: $0) } ?? "unknown"
      throw Failure(
        code: "terminated", message: "\(subject), by signal \(signal) (\(name))",
        details: [("signal", .integer(Int(signal)))])
    case .exited(let status):
      throw Failure(
        code: "terminated", message: "\(subject), with exit status \(status)",
        details: [("status", .integer(Int(status)))])
    }
  }
}
