internal import Invocations

extension StreamDecoder {
  /// A call that begins, and the time that the thread waited for it, if it did.
  mutating func begin(
    _ body: inout RecordBody, _ head: Head, _ place: UInt64
  ) throws(DamagedRecord) -> (OpenCall, TraceRecord?) {
    guard var code = codes[try body.integer()] else {
      throw DamagedRecord("a call of unknown code")
    }
    var start: UInt64 = try body.integer()
    latest = max(latest, start)
    var dispatch: TraceDispatch?
    var wait: TraceRecord?
    var sentTo: UInt32 = 0
    var occupied: UInt32 = 0
    if head.parts.contains(.dispatched) {
      let queue: UInt32 = try body.integer()
      let gaps: UInt32 = try body.integer()
      actors.note(gaps: gaps)
      (dispatch, wait, sentTo) = try readDispatch(
        &body, on: queue, of: UInt64(code.subject.address ?? 0), at: start, gaps: gaps, head)
      // Calls inside of others occupy what these do, unless the thread came there by
      // `dispatch_sync`.
      occupied = sentTo != 0 ? sentTo : head.depth == 0 ? queue : 0
      code = codes.code(code, sentBy: dispatch?.submission)
      if code.isTask, let task = dispatch?.task {
        let part = CollectedTasks.Part(place: place, code: code, head: head, gaps: gaps)
        let resumption: TaskResumption?
        (start, resumption) = begin(part, of: task, at: start)
        if let resumption { dispatch = dispatch?.resumed(by: resumption) }
      }
    }
    var values = TraceValues()
    var texts: [String]?
    if head.parts.contains(.words), let capture = code.capture, capture.plan.copiesArguments {
      try values.readArguments(capture.plan.wordCount, from: &body)
      let strings = try body.strings(capture.plan.strings & CapturePlan.argumentStrings)
      if !strings.isEmpty {
        texts = capture.arguments(values, strings)
        values.words.hasArguments = false
      }
    }
    if head.parts.contains(.texts) { texts = try body.texts() }
    return (
      OpenCall(
        code: code, start: start, head: head, dispatch: dispatch, sentTo: sentTo,
        occupied: occupied, values: values, texts: texts),
      wait
    )
  }

  /// Begins a part of a task: the one before it, of which a thread may have yet to say that it has
  /// left it, ends then at the latest.
  ///
  /// - Returns: The time at which it begins, and who resumed the task, if that was seen.
  private mutating func begin(
    _ part: CollectedTasks.Part, of task: TracedTask, at start: UInt64
  ) -> (start: UInt64, resumption: TaskResumption?) {
    actors.end(task.number, in: part.head.process, at: start)
    guard let last = tasks.begin(part, of: task.number) else { return (start, nil) }
    if let end = last.end { return (max(start, end.time), last.resumption) }
    openCalls.update(last.place) { $0?.left = start }
    return (start, last.resumption)
  }

  private mutating func readDispatch(
    _ body: inout RecordBody, on number: UInt32, of code: UInt64,
    at start: UInt64, gaps: UInt32, _ head: Head
  ) throws(DamagedRecord) -> (TraceDispatch, TraceRecord?, UInt32) {
    let block: UInt64 = try body.integer()
    let task = tasks.task(try body.integer(), in: head.process)
    let callers = head.parts.contains(.callers) ? try readCallers(&body) : []
    let queue = submissions.queue(number)
    guard block != 0,
      let match = submissions.begin(
        block: block, code: code, on: number, at: start, gaps: gaps, head)
    else { return (TraceDispatch(queue: queue, task: task, callers: callers), nil, 0) }
    let sent = match.submission
    var wait: TraceRecord?
    if let sent, let waiter = match.waiter {
      wait = waitRecord(
        sent, by: waiter, until: start, .proceeded, on: sent.queue, behind: match.obstacle)
    }
    let dispatch = TraceDispatch(
      queue: queue, submission: sent,
      waited: sent?.nanoseconds.map { start > $0 ? start - $0 : 0 }, behind: match.obstacle,
      task: task, callers: callers)
    return (dispatch, wait, match.queue)
  }

  /// The call that ended; nil if its begin was dropped.
  mutating func end(_ body: inout RecordBody, _ head: Head) throws(DamagedRecord) -> TraceRecord? {
    let place: UInt64 = try body.integer()
    var time: UInt64 = try body.integer()
    latest = max(latest, time)
    // After a fork the call ends in both processes.
    let open = openCalls.update(place) { open in
      defer { if open?.head.process == head.process { open = nil } }
      return open
    }
    guard let call = open else { return nil }
    if let left = call.left { time = min(time, left) }
    if call.head.process == head.process {
      submissions.end(on: call.sentTo)
      submissions.ran(
        call.code, call.dispatch?.submission, on: call.occupied, call.head, from: call.start,
        to: time)
    }
    var values = call.values
    var result: String?
    if head.parts.contains(.words) {
      try values.readResult(from: &body)
      let plan = call.code.capture?.plan
      values.words.hasResult = plan?.copiesResult == true
      if let plan, let string = try body.strings(plan.strings & ~CapturePlan.argumentStrings).first
      {
        result = string.text(at: UInt(values.words.words.6)).capped(plan.limit)
        values.words.hasResult = false
      }
    }
    if head.parts.contains(.texts) { result = try body.text() }
    let error = head.parts.contains(.error) ? try body.text() : nil
    let suspension =
      head.parts.contains(.suspension) ? TaskSuspension(rawValue: try body.integer()) : nil
    let ended = record(
      of: call, head: head, end: time, values, result: result, error: error, at: place,
      suspension: suspension, ending: head.parts.contains(.hasProceeded) ? .proceeded : .replaced)
    if let suspension, let task = call.dispatch?.task {
      actors.end(task.number, in: head.process, at: time)
      tasks.end(task.number, in: head.process, partAt: place, at: time, suspension)
    }
    return ended
  }

  /// The part of a task that a call is, which began at a place; nil for other calls, and if another
  /// part has begun since.
  func part(of call: OpenCall, at place: UInt64) -> CollectedTasks.Part? {
    guard call.code.isTask, let task = call.dispatch?.task,
      let part = tasks.part(of: task.number, in: call.head.process), part.place == place
    else { return nil }
    return part
  }

  /// The record of a call.
  mutating func record(
    of call: OpenCall, head: TraceStreamFormat.Head, end: UInt64, _ values: TraceValues,
    result: String? = nil, error: String? = nil, at place: UInt64,
    suspension: TaskSuspension? = nil, ending: TraceRecord.Ending
  ) -> TraceRecord {
    var dispatch = call.dispatch
    if suspension != nil || call.code.isTask {
      let part = part(of: call, at: place)
      // The name may have come after the begin.
      let task = dispatch?.task.flatMap { tasks.task($0.number, in: call.head.process) }
      dispatch = TraceDispatch(
        queue: dispatch?.queue, submission: dispatch?.submission, waited: dispatch?.waited,
        behind: dispatch?.obstacle, task: task, suspension: suspension,
        callers: dispatch?.callers ?? [],
        step: TaskStep(
          actor: part?.actor, wait: part?.wait, resumption: dispatch?.step?.resumption))
    }
    var values = values
    values.texts = TraceTexts.ifAny(arguments: call.texts, result: result, error: error)
    return record(call.code, by: head, from: call.start, to: end, ending, dispatch, values)
  }

  /// The record of what a thread did, or had done to what it sent, from one time to another.
  mutating func record(
    _ code: RecordedCode, by head: Head, from start: UInt64, to end: UInt64,
    _ ending: TraceRecord.Ending, _ dispatch: TraceDispatch?,
    _ values: TraceValues = TraceValues()
  ) -> TraceRecord {
    TraceRecord(
      start: start, duration: end > start ? end - start : 0, thread: head.thread,
      depth: head.depth, ending: ending, code: code, values: values,
      origin: origins.origin(of: head), dispatch: dispatch)
  }

  /// The record of a thread's wait for a block that it sent.
  mutating func waitRecord(
    _ submission: TraceSubmission, by head: Head, until end: UInt64, _ ending: TraceRecord.Ending,
    on queue: TracedQueue?, behind obstacle: TraceObstacle?
  ) -> TraceRecord {
    record(
      WaitCodes.all[submission.way] ?? WaitCodes.unknown, by: head,
      from: submission.nanoseconds ?? end, to: end, ending,
      TraceDispatch(queue: queue, submission: submission, behind: obstacle))
  }
}
