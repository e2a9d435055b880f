// A server that ends by a signal that it handles itself.
import Dispatch
import Foundation

let q = DispatchQueue(label: "com.example.ticks")
let t = DispatchSource.makeTimerSource(queue: q);
t.schedule(deadline: .now(), repeating: .milliseconds(100)); t.setEventHandler {}; t.resume()
signal(SIGINT, SIG_IGN)
let s = DispatchSource.makeSignalSource(signal: SIGINT, queue: q);
s.setEventHandler {
  print("graceful"); fflush(stdout); exit(0)
}; s.resume()
q.asyncAfter(deadline: .now() + .milliseconds(350)) { kill(getpid(), SIGINT) }
dispatchMain()
