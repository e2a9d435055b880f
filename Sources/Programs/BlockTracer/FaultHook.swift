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

  private static func wait(nanoseconds: UInt64) {
    guard nanoseconds > 0 else { return }
    var time = timespec(
      tv_sec: Int(clamping: nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    // SAFETY: the function reads one variable and writes the other. A signal ends it, with the rest
    // of the time.
    while unsafe nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
  }
}
