extension TraceStreamAppender {
  /// Appends a type of actors.
  ///
  /// - Returns: False if there was no room.
  func describeActorType(_ number: UInt32, _ name: String) -> Bool {
    appendOrLeaveGap(.actorType, .none, 4 + StreamBodyWriter.size(name)) { body in
      body.append(number)
      body.append(name)
    }
  }

  /// Appends that the thread goes on with a task on an actor.
  func run(task: UInt64, on actor: TraceQueues.Actor, at time: UInt64) {
    _ = appendOrLeaveGap(.actor, .none, 28) { body in
      body.append(task)
      append(actor, to: &body)
      body.append(time)
    }
  }

  /// Appends what a task waits for whose part ends next.
  func wait(
    task: UInt64, for actor: TraceQueues.Actor, task awaited: UInt64, in functions: TraceCallers
  ) {
    _ = appendOrLeaveGap(.taskWait, .none, 28 + functions.size) { body in
      body.append(task)
      append(actor, to: &body)
      body.append(awaited)
      functions.append(to: &body)
    }
  }

  /// Appends that a task's continuation is resumed.
  func resume(
    task: UInt64, by resumer: UInt64, in functions: TraceCallers, on thread: TraceThread,
    at time: UInt64
  ) {
    introduce(thread)
    _ = appendOrLeaveGap(.resumption, .none, 24 + functions.size) { body in
      body.append(task)
      body.append(resumer)
      body.append(time)
      functions.append(to: &body)
    }
  }

  private func append(_ actor: TraceQueues.Actor, to body: inout StreamBodyWriter) {
    body.append(actor.address)
    body.append(actor.type)
  }
}
