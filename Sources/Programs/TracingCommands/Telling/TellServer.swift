import CallTracing
import CommandOptionsAndResults
import Glibc

/// Takes the requests of `hook-demo tell` for a trace.
struct TellServer {
  private let socket: TellSocket

  /// Begins to take requests; nil where that is not possible.
  init?(in directory: TraceDirectory) {
    guard let socket = TellSocket(listeningIn: directory.path) else { return nil }
    self.socket = socket
  }

  /// A request that waits for its answer.
  struct Asked {
    let request: TellRequest
    fileprivate let socket: TellSocket

    /// Answers the request.
    func answer(_ answer: () throws(Failure) -> String) {
      do throws(Failure) { socket.answer("ok\n" + (try answer())) } catch { socket.refuse(error) }
    }
  }

  /// The next request; nil if there is none.
  func next() -> Asked? {
    guard let client = socket.accept() else { return nil }
    guard let line = client.readAll(limit: 256, seconds: 2), let request = TellRequest(line: line)
    else {
      client.refuse(
        Failure(code: "otherVersion", message: "the trace is that of another version of hook-demo"))
      return nil
    }
    return Asked(request: request, socket: client)
  }

  /// Refuses those who still ask.
  func end() {
    while let asked = next() { asked.answer { () throws(Failure) in throw TellTarget.ended } }
    socket.close()
  }
}

extension TellSocket {
  fileprivate func answer(_ text: String) {
    _ = write(text)
    close()
  }

  fileprivate func refuse(_ failure: Failure) { answer("\(failure.code)\n\(failure.message)") }
}
