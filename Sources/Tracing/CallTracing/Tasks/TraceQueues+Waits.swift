extension TraceQueues {
  /// An actor, as records name it.
  package struct Actor {
    /// No actor.
    package static let none = Actor(address: 0, type: 0)

    let address: UInt64

    /// The number of its type; 0 if that is not known.
    let type: UInt32

    /// Names an actor.
    ///
    /// - Parameters:
    ///   - address: Its address; 0 for none.
    ///   - type: The number of its type, of `describe(actorType:)`.
    package init(address: UInt, type: UInt32) {
      (self.address, self.type) = (UInt64(address), type)
    }

    fileprivate func append(to body: inout StreamBodyWriter) {
      body.append(address)
      body.append(type)
    }
  }

  /// The number of a type of actors, which is described in the stream; nil if there is no room.
  package func describe(actorType name: String) -> UInt32? {
    let number = stream.takeNumber()
    let size = 4 + StreamBodyWriter.size(name)
    let isWritten = stream.appendOrLeaveGap(.actorType, .none, size) { body in
      body.append(number)
      body.append(name)
    }
    return isWritten ? number : nil
  }

  /// Records that the thread goes on with a task on an actor, or on none.
  package func run(task: UInt64, on actor: Actor) {
    if TraceThread.current.isDelivering { return }
    let time = clock.nanoseconds
    stream.appendOrLeaveGap(.actor, .none, 28) { body in
      body.append(task)
      actor.append(to: &body)
      body.append(time)
    }
  }

  /// Records what a task waits for that the thread has run.
  ///
  /// - Parameters:
  ///   - task: The task's number.
  ///   - actor: The actor on which it is to go on.
  ///   - awaited: The number of the task whose result it awaits; 0 for none.
  ///   - functions: Addresses in the functions in which it is suspended, the innermost first.
  package func wait(
    task: UInt64, for actor: Actor, task awaited: UInt64,
    in functions: UnsafeBufferPointer<UnsafeRawPointer?>
  ) {
    if TraceThread.current.isDelivering { return }
    let functions = unsafe callers.numbers(of: functions)
    stream.appendOrLeaveGap(.taskWait, .none, 28 + functions.size) { body in
      body.append(task)
      actor.append(to: &body)
      body.append(awaited)
      functions.append(to: &body)
    }
  }

  /// Records that the thread resumes a task's continuation.
  ///
  /// - Parameters:
  ///   - task: The task's number.
  ///   - functions: The return addresses of those who resume it, the innermost first.
  package func resume(task: UInt64, by functions: UnsafeBufferPointer<UnsafeRawPointer?>) {
    let thread = TraceThread.current
    if thread.isDelivering { return }
    let (functions, time) = unsafe (callers.numbers(of: functions), clock.nanoseconds)
    stream.introduce(thread)
    stream.appendOrLeaveGap(.resumption, .none, 24 + functions.size) { body in
      body.append(task)
      body.append(thread.task)
      body.append(time)
      functions.append(to: &body)
    }
  }
}
