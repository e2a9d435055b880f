// Tasks that wait for each other and for actors: one that nobody leaves, and a cycle that is none.
import Dispatch

actor Ledger {
  func keep() { DispatchSemaphore(value: 0).wait() }
  func read() -> Int { 1 }
}

/// Calls another actor, which calls this one again: an actor is free while it awaits.
actor Caller {
  private var other: Caller?
  func meet(_ other: Caller) { self.other = other }
  func call(_ depth: Int) async -> Int {
    if depth == 2 {
      return await withCheckedContinuation { (_: CheckedContinuation<Int, Never>) in }
    }
    return await other?.call(depth + 1) ?? 0
  }
}

actor Pair {
  private var tasks: [Task<Int, Never>] = []
  func add(_ task: Task<Int, Never>) { tasks.append(task) }
  func task(_ index: Int) async -> Task<Int, Never> {
    while tasks.count < 2 { await Task.yield() }
    return tasks[index]
  }
}

@main struct M {
  static func main() async {
    let (ledger, pair, one, two) = (Ledger(), Pair(), Caller(), Caller())
    await pair.add(
      Task(name: "first") {
        await withCheckedContinuation { done in done.resume() }
        return await pair.task(1).value
      })
    await pair.add(Task(name: "second") { await pair.task(0).value })
    await one.meet(two)
    await two.meet(one)
    let cycle = Task(name: "cycle") { await one.call(0) }
    let holder = Task.detached(name: "holder") { await ledger.keep() }
    try? await Task.sleep(for: .milliseconds(50))
    let reader = Task.detached(name: "reader") { await ledger.read() }
    _ = await (reader.value, holder.value, cycle.value)
  }
}
