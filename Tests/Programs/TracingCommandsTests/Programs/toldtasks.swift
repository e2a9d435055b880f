// Runs tasks as the lines of its standard input ask, and answers each with a line.
import Glibc

actor Ledger {
  private(set) var sum = 0

  func add(_ number: Int) async {
    sum += number
    await Task.yield()
  }
}

@main
struct Told {
  static func answer(_ text: String) {
    print(text)
    fflush(nil)
  }

  static func main() async {
    answer("\(getpid())")
    let ledger = Ledger()
    var waiting: (task: Task<Void, Never>, continuation: CheckedContinuation<Void, Never>)?
    while let line = readLine() {
      switch line {
      case "tasks":
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<10 {
            group.addTask {
              await ledger.add(1)
              try? await Task.sleep(nanoseconds: 1000)
            }
          }
        }
        answer("\(await ledger.sum)")
      case "wait":
        let (stream, source) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let task = Task { await withCheckedContinuation { source.yield($0) } }
        for await continuation in stream {
          waiting = (task, continuation)
          break
        }
        answer("waits")
      case "resume":
        waiting?.continuation.resume()
        await waiting?.task.value
        answer("resumed")
      default: answer("?")
      }
    }
  }
}
