// semaphore wait in a task for work done by a task on the same pool
import Dispatch

@Sendable func fetchSync() -> Int {
  let s = DispatchSemaphore(value: 0); nonisolated(unsafe) var r = 0
  Task {
    try? await Task.sleep(for: .milliseconds(5)); r = 1; s.signal()
  }; s.wait(); return r
}
@main struct M {
  static func main() async {
    await withTaskGroup(of: Int.self) { g in
      for _ in 0..<8 { g.addTask { fetchSync() } }; for await _ in g {}
    }
    print("done")
  }
}
