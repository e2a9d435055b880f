/// Where a trace stops for a while: what happens meanwhile is not seen.
extension StreamDecoder {
  /// Ends what waits: blocks that have not begun, and suspended tasks.
  ///
  /// - Returns: Their records.
  mutating func pause(at now: UInt64, gaps: UInt32) -> [TraceRecord] {
    let records = pendingRecords(at: now, gaps: gaps)
    submissions.forgetWaiting()
    tasks.forgetParts()
    actors.endAll(at: now)
    return records
  }

  /// Forgets the parts of tasks whose ends were not seen, before the trace goes on.
  mutating func resume() {
    for (place, call) in openCalls.all where call.code.isTask {
      openCalls.update(place) { $0 = nil }
    }
  }
}
