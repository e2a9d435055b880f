private import BlockRuntimeThreads
internal import CallTracing

/// The trace of a process that begins idle, which is made when its switch is turned first.
final class SwitchedTrace: TraceSwitchListener {
  private struct State {
    /// Nil before the first start.
    var trace: ProgramTrace?
    var position = TraceSwitch.Position.idle
  }

  private let settings: TraceSettings

  /// No fork finds it locked, as none interrupts a turn.
  private let state = Locked(State())

  init(_ settings: TraceSettings) { self.settings = settings }

  func turn(to position: TraceSwitch.Position) -> Bool {
    state.withLock { state in
      let last = state.position
      state.position = position
      if position == .tracing { return start(&state) }
      if last == .tracing { state.trace?.stop() }
      if position == .idle { state.trace?.end() }
      return true
    }
  }

  /// Starts the trace; false if there can be no stream.
  ///
  /// That is not said here: a program that runs may have a file of its own as standard error.
  private func start(_ state: inout State) -> Bool {
    // A program that runs is never ended.
    if state.trace == nil { state.trace = try? ProgramTrace(settings, mayEndProgram: false) }
    state.trace?.start()
    return state.trace != nil
  }

  var isCollected: Bool { TraceDirectory.isCollected(settings.directory, whereHidden: true) }
}
