import CallTracing

/// The parts and the suspensions of tasks that run the same code.
struct TaskTotals {
  /// The durations of the parts.
  private(set) var parts = TraceHistogram()

  /// How long parts waited for their queues, without the delays that the program asked for.
  private(set) var waits = TraceHistogram()

  /// How long tasks were suspended.
  private(set) var suspensions = SuspensionTimes()

  /// The names that the program gave to the tasks.
  private(set) var names = TaskNames()

  /// How many tasks there were.
  private(set) var count = 0

  /// Adds a part of a task, or its suspension.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - last: The last part of the task; nil without one, and updated.
  mutating func add(_ record: TraceRecord, after last: inout SuspensionTimes.Part?) {
    if last == nil { count += 1 }
    if let name = record.task?.name { names.add(name) }
    guard suspensions.add(record, after: &last) != nil else { return }
    parts.add(record.durationNanoseconds)
    if let waited = record.waitedNanoseconds, record.submission?.isDelayed == false {
      waits.add(waited)
    }
  }
}

/// How long tasks were suspended, by the reason.
struct SuspensionTimes {
  /// The last part of a task: when it ended, and why, if that is known.
  typealias Part = (end: UInt64, suspension: TaskSuspension?)

  private(set) var all: [TaskSuspension: UInt64] = [:]

  /// The sum of all.
  var total: UInt64 { all.values.reduce(into: 0) { $0.addClamped($1) } }

  /// Adds the suspension of a task before a part of it, or until the end of the trace.
  ///
  /// - Parameters:
  ///   - record: The record of the part, or of the suspension.
  ///   - last: The last part of the task; nil without one, and updated.
  /// - Returns: When the task was sent to the thread of the part; nil without a part.
  mutating func add(_ record: TraceRecord, after last: inout Part?) -> UInt64? {
    let waited = record.waitedNanoseconds ?? 0
    if record.outcome == .suspended, let suspension = record.suspension {
      all[suspension, default: 0].addClamped(waited)
    }
    guard record.hasStarted else {
      last = last ?? (record.startNanoseconds, nil)
      return nil
    }
    let sent = record.startNanoseconds - min(waited, record.startNanoseconds)
    if let last, let suspension = last.suspension, sent > last.end {
      all[suspension, default: 0].addClamped(sent - last.end)
    }
    last = (record.endNanoseconds, record.suspension)
    return sent
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
