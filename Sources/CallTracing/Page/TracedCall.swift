/// One call as the page shows it, with its texts made.
struct TracedCall {
  let record: TraceRecord
  let lane: TraceLane
  let arguments: [String]
  let result: String?
  let outcome: TraceRecord.Outcome

  init(_ record: TraceRecord) {
    self.record = record
    lane = TraceLane(record)
    arguments = record.arguments
    result = record.result
    outcome = record.outcome
  }
}

/// What has a lane of the page: a thread.
struct TraceLane: Hashable {
  let process: Int32
  let thread: Int32

  init(_ record: TraceRecord) {
    process = record.process
    thread = record.thread
  }

  /// The lane's heading.
  func name(_ record: TraceRecord) -> String { record.nameOfThread }
}
