import CallTracing

/// The parts and the suspensions of tasks that run the same code.
struct TaskTotals {
  /// The last part of a task that ran the code.
  struct Part {
    let end: UInt64

    /// Why it ended; nil if that is not known.
    let suspension: TaskSuspension?
  }

  /// The durations of the parts.
  private(set) var parts = TraceHistogram()

  /// How long parts waited for their queues, without the delays that the program asked for.
  private(set) var waits = TraceHistogram()

  /// How long tasks were suspended, by the reason.
  private(set) var suspensions: [TaskSuspension: UInt64] = [:]

  /// The names that the program gave to the tasks.
  private(set) var names = TaskNames()

  /// How many tasks there were.
  private(set) var count = 0

  /// How long tasks were suspended.
  var suspended: UInt64 { suspensions.values.reduce(into: 0) { $0.addClamped($1) } }

  /// Adds a part of a task, or its suspension.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - last: The last part of the task; nil without one, and updated.
  mutating func add(_ record: TraceRecord, after last: inout Part?) {
    if last == nil { count += 1 }
    if let name = record.task?.name { names.add(name) }
    if record.outcome == .suspended, let suspension = record.suspension {
      suspensions[suspension, default: 0].addClamped(record.waitedNanoseconds ?? 0)
    }
    guard record.hasStarted else {
      if last == nil { last = Part(end: record.startNanoseconds, suspension: nil) }
      return
    }
    parts.add(record.durationNanoseconds)
    let waited = record.waitedNanoseconds ?? 0
    if record.waitedNanoseconds != nil, record.submission?.isDelayed == false { waits.add(waited) }
    // From the end of the part before until the task was sent on.
    let resumed = record.startNanoseconds - min(waited, record.startNanoseconds)
    if let part = last, let suspension = part.suspension, resumed > part.end {
      suspensions[suspension, default: 0].addClamped(resumed - part.end)
    }
    last = Part(
      end: record.startNanoseconds &+ record.durationNanoseconds, suspension: record.suspension)
  }
}

/// The first names of tasks that run the same code.
struct TaskNames {
  private static let limit = 3

  /// The names; no more than are shown.
  private(set) var first: [String] = []

  private var areMore = false

  mutating func add(_ name: String) {
    guard !first.contains(name) else { return }
    if first.count < Self.limit { first.append(name) } else { areMore = true }
  }

  /// The names, and a mark if there are more.
  var shown: [String] { areMore ? first + ["…"] : first }
}
