// Continuations that a thread, a task and a function of C resume, and a task that nobody resumes.
import Dispatch

actor Inbox {
  private var waiting: [CheckedContinuation<Int, Never>] = []
  func next() async -> Int { await withCheckedContinuation { waiting.append($0) } }
  func deliver(_ letter: Int) { waiting.removeFirst().resume(returning: letter) }
}

let queue = DispatchQueue(label: "com.example.timer")

@Sendable func answer(_ done: UnsafeContinuation<Int, Never>) { done.resume(returning: 2) }

@Sendable func ask() async -> Int {
  await withUnsafeContinuation { done in
    queue.asyncAfter(deadline: .now() + .milliseconds(100)) { answer(done) }
  }
}

@main struct M {
  static func main() async {
    let inbox = Inbox()
    async let letter = inbox.next()
    let post = Task(name: "post") {
      try? await Task.sleep(for: .milliseconds(100))
      await inbox.deliver(1)
    }
    print(await letter + ask())
    await post.value
    async let forgotten = inbox.next()
    print(await forgotten)
  }
}
