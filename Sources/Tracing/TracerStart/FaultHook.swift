internal import BlockHooks
internal import CallTracing
private import Glibc

extension InjectedFault {
  /// The hook that injects the fault, and records that as a call of its title within the call that
  /// gets it.
  ///
  /// - Parameter tracer: Receives the records.
  /// - Returns: The hook, for one function.
  func definition(recordedBy tracer: Tracer) -> HookDefinition {
    var definition: HookDefinition
    if let error {
      definition = .failing(with: error, when: conditions)
    } else {
      definition = HookDefinition(.before, when: conditions) { _ in }
    }
    let trace = OpaqueCallTrace(tracer, named: Self.prefix + title)
    let (prepare, delay) = (definition.prepare, delay)
    definition.prepare = { definition, point throws(HookError) in
      try prepare?(&definition, point)
      let handler = definition.handler
      definition.handler = { call in
        let record = trace?.begin()
        // Not by a timer, whose thread would be one more in the program.
        Self.wait(nanoseconds: delay)
        if let record { trace?.end(record) }
        try handler(&call)
      }
    }
    return definition
  }

  private var conditions: HookConditions {
    switch choice {
    case .all: .always
    case .nth(let number): .nth(number)
    case .every(let interval): .every(interval)
    case .share(let share): .sample(share)
    }
  }

  /// Waits until a time, whatever signals come, and without being a point where the thread may be
  /// cancelled.
  private static func wait(nanoseconds: UInt64) {
    guard nanoseconds > 0 else { return }
    var end = timespec()
    var state: Int32 = 0
    // SAFETY: the functions read and write variables.
    unsafe pthread_setcancelstate(CInt(PTHREAD_CANCEL_DISABLE), &state)
    defer { pthread_setcancelstate(state, nil) }
    unsafe clock_gettime(CLOCK_MONOTONIC, &end)
    let rest = nanoseconds % 1_000_000_000 + UInt64(end.tv_nsec)
    end.tv_sec += Int(clamping: nanoseconds / 1_000_000_000 + rest / 1_000_000_000)
    end.tv_nsec = Int(rest % 1_000_000_000)
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nil) == EINTR {}
  }
}
