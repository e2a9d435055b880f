import CallTracing

/// The parts and the suspensions of tasks that run the same code.
struct TaskTotals {
  /// A task of a process.
  private struct Key: Hashable {
    let process: Int32
    let number: UInt64
  }

  /// The durations of the parts.
  private(set) var parts = TraceHistogram()

  /// How long parts waited for their queues, without the delays that the program asked for.
  private(set) var waits = TraceHistogram()

  /// How long tasks were suspended, by the reason.
  private(set) var suspensions: [TaskSuspension: UInt64] = [:]

  private var last: [Key: (end: UInt64, suspension: TaskSuspension?)] = [:]

  /// How many tasks there were.
  var count: Int { last.count }

  /// How long tasks were suspended.
  var suspended: UInt64 { suspensions.values.reduce(into: 0) { $0.addClamped($1) } }

  mutating func add(_ record: TraceRecord) {
    guard let task = record.task else { return }
    if record.outcome == .suspended, let suspension = record.suspension {
      suspensions[suspension, default: 0].addClamped(record.waitedNanoseconds ?? 0)
    }
    let key = Key(process: record.process, number: task.number)
    guard record.hasStarted else {
      if last[key] == nil { last[key] = (record.startNanoseconds, nil) }
      return
    }
    parts.add(record.durationNanoseconds)
    let waited = record.waitedNanoseconds ?? 0
    if record.waitedNanoseconds != nil, record.submission?.isDelayed == false { waits.add(waited) }
    // From the end of the part before until the task was sent on.
    let resumed = record.startNanoseconds - min(waited, record.startNanoseconds)
    if let (end, suspension) = last[key], let suspension, resumed > end {
      suspensions[suspension, default: 0].addClamped(resumed - end)
    }
    last[key] = (record.startNanoseconds &+ record.durationNanoseconds, record.suspension)
  }
}
