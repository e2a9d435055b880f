/// The fields of a Swift task in a stream.
struct StreamTask {
  static let size = 24

  /// Its number.
  let number: UInt64

  /// The number of its parent; 0 for a task that is no child.
  let parent: UInt64

  /// The bits of a job's flags.
  let flags: UInt64

  func append(to body: inout StreamBodyWriter) {
    body.append(number)
    body.append(parent)
    body.append(flags)
  }
}

extension StreamTask {
  /// The fields of a task; the thread that creates or first sends a child runs its parent.
  init(_ task: UInt64, _ flags: UInt64) {
    let current = TraceThread.current.task
    let parent = TracedTask.isChild(flags) && current != task ? current : 0
    self.init(number: task, parent: parent, flags: flags)
  }
}

extension TraceQueues {
  /// Records that a Swift task was created.
  ///
  /// - Parameters:
  ///   - task: The task's number.
  ///   - flags: The bits of its job's flags.
  ///   - code: The address of the code that it runs.
  ///   - callers: The return addresses of those who created it, the innermost first.
  package func create(
    task: UInt64, flags: UInt64, running code: UInt,
    by callers: UnsafeBufferPointer<UnsafeRawPointer?>
  ) {
    if TraceThread.current.isDelivering { return }
    let callers = unsafe self.callers.numbers(of: callers)
    stream.appendOrLeaveGap(.task, .none, StreamTask.size + 8 + callers.size) { body in
      StreamTask(task, flags).append(to: &body)
      body.append(UInt64(code))
      callers.append(to: &body)
    }
  }

  /// Records the name of a Swift task.
  package func name(task: UInt64, _ name: String) {
    if TraceThread.current.isDelivering { return }
    stream.appendOrLeaveGap(.taskName, .none, 8 + StreamBodyWriter.size(name)) { body in
      body.append(task)
      body.append(name)
    }
  }

  /// Records the name that the program gave the current thread, which may be longer than the
  /// kernel's.
  package func nameThread(_ name: UnsafeRawBufferPointer) {
    let thread = TraceThread.current
    if thread.isDelivering { return }
    unsafe stream.rename(thread, to: name)
  }
}
