internal import Invocations

/// The waits of tasks, and those who resume them.
extension StreamDecoder {
  mutating func run(_ body: inout RecordBody, _ head: Head) throws(DamagedRecord) {
    let task: UInt64 = try body.integer()
    let place = try readActor(&body, head)
    let time: UInt64 = try body.integer()
    latest = max(latest, time)
    hopCount += 1
    let actor = actors.actor(at: place)
    actors.run(task, on: place, at: time)
    tasks.update(task, in: head.process) { $0.run(on: actor) }
  }

  mutating func wait(_ body: inout RecordBody, _ head: Head) throws(DamagedRecord) {
    let task: UInt64 = try body.integer()
    let place = try readActor(&body, head)
    let awaited = tasks.task(try body.integer(), in: head.process)
    let functions = try readCallers(&body)
    hopCount += 1
    let wait = TaskWait(actor: actors.actor(at: place), task: awaited, in: functions)
    actors.leave(task, for: place)
    tasks.update(task, in: head.process) { $0.wait(wait) }
  }

  mutating func resume(_ body: inout RecordBody, _ head: Head) throws(DamagedRecord) {
    let task: UInt64 = try body.integer()
    let resumer = tasks.task(try body.integer(), in: head.process)
    let time: UInt64 = try body.integer()
    latest = max(latest, time)
    let callers = try readCallers(&body)
    hopCount += 1
    tasks.update(task, in: head.process) { part in
      // Otherwise the task is resumed before it is suspended, and goes on.
      guard part.end != nil else { return }
      part.resumption = TaskResumption(
        task: resumer, thread: head.thread, nanoseconds: time, callers: callers)
    }
  }

  private func readActor(
    _ body: inout RecordBody, _ head: Head
  ) throws(DamagedRecord) -> CollectedActors.Place {
    CollectedActors.Place(
      process: head.process, address: try body.integer(), type: try body.integer())
  }
}
