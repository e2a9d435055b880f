internal import Invocations

/// What tasks wait for, and who resumes them.
extension StreamDecoder {
  mutating func addActorType(
    _ body: inout ByteReader<DamagedRecord>
  ) throws(DamagedRecord) { actors.addType(try body.integer(), try body.name()) }

  mutating func run(
    _ body: inout ByteReader<DamagedRecord>, _ head: TraceStreamFormat.Head
  ) throws(DamagedRecord) {
    let task: UInt64 = try body.integer()
    let actor = try readActor(&body, head)
    let time: UInt64 = try body.integer()
    latest = max(latest, time)
    actors.run(task, on: actor, in: head.process, at: time)
    tasks.update(task, in: head.process) { $0.actor = actor }
  }

  mutating func wait(
    _ body: inout ByteReader<DamagedRecord>, _ head: TraceStreamFormat.Head
  ) throws(DamagedRecord) {
    let task: UInt64 = try body.integer()
    let actor = try readActor(&body, head)
    let awaited = tasks.task(try body.integer(), in: head.process)
    let functions = try readCallers(&body)
    if let actor { actors.leave(task, for: actor, in: head.process) }
    tasks.update(task, in: head.process) { part in
      part.wait = TaskWait(actor: actor, task: awaited, in: functions)
    }
  }

  mutating func resume(
    _ body: inout ByteReader<DamagedRecord>, _ head: TraceStreamFormat.Head
  ) throws(DamagedRecord) {
    let task: UInt64 = try body.integer()
    let resumer = tasks.task(try body.integer(), in: head.process)
    let time: UInt64 = try body.integer()
    latest = max(latest, time)
    let callers = try readCallers(&body)
    tasks.update(task, in: head.process) { part in
      part.resumption = TaskResumption(
        task: resumer, thread: head.thread, nanoseconds: time, callers: callers)
    }
  }

  private mutating func readActor(
    _ body: inout ByteReader<DamagedRecord>, _ head: TraceStreamFormat.Head
  ) throws(DamagedRecord) -> TracedActor? {
    actors.actor(at: try body.integer(), ofType: try body.integer(), in: head.process)
  }
}
