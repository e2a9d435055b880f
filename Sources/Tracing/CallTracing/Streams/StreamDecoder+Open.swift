internal import BlockABI

/// What has not ended, or not begun.
extension StreamDecoder {
  /// The calls in progress, as calls that lasted until now, or until their task began elsewhere.
  mutating func unfinishedRecords(at now: UInt64) -> [TraceRecord] {
    openCalls.all.sorted { $0.key < $1.key }.map { place, call in
      record(
        of: call, head: call.head, end: call.left ?? now, call.values, at: place,
        suspension: call.left.map { _ in .suspended },
        ending: call.left == nil ? .unfinished : .proceeded)
    }
  }

  /// The blocks that were sent to queues and have not begun, and the tasks that are suspended.
  ///
  /// A thread that waits for such a block has a wait that has not ended.
  mutating func pendingRecords(at now: UInt64, gaps: UInt32) -> [TraceRecord] {
    for (_, call) in openCalls.all {
      submissions.ran(
        call.code, call.dispatch?.submission, on: call.occupied, call.head, from: call.start,
        to: max(now, call.start))
    }
    var records: [TraceRecord] = []
    for pending in submissions.pending(gaps: gaps) {
      records.append(record(of: pending, until: now, ending: .pending))
      let sent = pending.sent
      guard sent.submission.way.isSynchronous else { continue }
      records.append(
        waitRecord(
          sent.submission, by: sent.head, until: now, .unfinished,
          on: submissions.queue(sent.queue), behind: pending.obstacle))
    }
    for (task, part) in tasks.suspended(gaps: gaps) {
      guard let (end, suspension) = part.end else { continue }
      records.append(
        TraceRecord(
          start: end, duration: 0, thread: part.head.thread, depth: 0, ending: .suspended,
          code: part.code, values: TraceValues(), origin: origins.origin(of: part.head),
          dispatch: TraceDispatch(
            queue: nil, waited: now > end ? now - end : 0, task: task, suspension: suspension,
            step: TaskStep(actor: nil, wait: part.wait, resumption: part.resumption))))
    }
    return records
  }

  /// The record of a block or task that was sent to a queue and did not run.
  mutating func record(
    of pending: CollectedSubmissions.Pending, until end: UInt64, ending: TraceRecord.Ending
  ) -> TraceRecord {
    let (sent, submission) = (pending.sent, pending.sent.submission)
    let start = submission.nanoseconds ?? end
    let code = codes.code(at: sent.code) ?? WaitCodes.unknown
    return record(
      codes.code(code, sentBy: submission), by: sent.head, from: start, to: start, ending,
      TraceDispatch(
        queue: submissions.queue(sent.queue), submission: submission,
        waited: end > start ? end - start : 0, behind: pending.obstacle,
        task: tasks.task(sent.task, in: sent.head.process)))
  }
}
