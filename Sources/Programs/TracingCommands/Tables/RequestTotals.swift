import CallTracing

/// What a task did from its first part to its last.
struct RequestTotals {
  let task: TracedTask
  let process: Int32

  /// When it was sent to a thread for the first time, and when its last part ended.
  private(set) var begin: UInt64 = .max
  private(set) var end: UInt64 = 0

  private(set) var ran: UInt64 = 0

  /// How long it waited for a thread.
  private(set) var waited: UInt64 = 0

  /// How long it was suspended.
  private(set) var suspensions = SuspensionTimes()

  /// How many blocks it sent, and how long they ran.
  private(set) var sent: (count: Int, ran: UInt64) = (0, 0)

  private var last: SuspensionTimes.Part?

  init(_ task: TracedTask, process: Int32) { (self.task, self.process) = (task, process) }

  var duration: UInt64 { end > begin ? end - begin : 0 }

  /// Adds the call of a block that the task sent, or that the block did not run.
  mutating func add(sent record: TraceRecord) {
    sent.count += 1
    sent.ran &+= record.durationNanoseconds
  }

  /// Adds a part of the task, or its suspension until the end of the trace.
  mutating func add(_ record: TraceRecord) {
    let waited = record.waitedNanoseconds ?? 0
    if record.outcome == .suspended { end = max(end, record.startNanoseconds &+ waited) }
    guard let sent = suspensions.add(record, after: &last) else { return }
    (begin, end) = (min(begin, sent), max(end, record.endNanoseconds))
    ran &+= record.durationNanoseconds
    if record.submission?.isDelayed == false { self.waited &+= waited }
  }
}
