internal import Invocations

/// Makes records of the parts of a stream, which are not trusted.
struct StreamDecoder {
  private typealias Format = TraceStreamFormat

  private struct Thread: Hashable {
    let process: Int32
    let number: Int32
  }

  private struct OpenCall {
    let code: RecordedCode
    let start: UInt64
    let head: TraceStreamFormat.Head
    let dispatch: TraceDispatch?

    /// When the task began elsewhere of which this is a part; nil if it did not.
    var left: UInt64?

    /// The number of the queue that its block was sent to; 0 if that is not known.
    let sentTo: UInt32

    /// The number of the queue that its code occupies; 0 for none.
    let occupied: UInt32
    let values: TraceValues
    let texts: [String]?
  }

  /// The reason why nothing can be traced; nil if the program can be traced.
  private(set) var refusal: TraceRefusal?

  /// The latest time in the records read so far.
  private(set) var latest: UInt64 = 0

  /// The signatures that cannot be used here: calls of their code are recorded without values.
  private(set) var unreadSignatures: Set<String> = []

  private let processName: String
  private var codes: [UInt32: RecordedCode] = [:]
  private var codesByAddress: [UInt64: RecordedCode] = [:]
  private var origins: [Thread: TraceOrigin] = [:]
  private var openCalls: [UInt64: OpenCall] = [:]
  private var submissions = CollectedSubmissions()
  private var waits = WaitCodes()
  private var overlay = OverlayCodes()
  private var tasks = CollectedTasks()

  /// Creates a decoder.
  ///
  /// - Parameter processName: The name of the process that created the stream.
  init(processName: String) { self.processName = processName }

  /// How much the queues had to do so far.
  var queueLoads: [(queue: TracedQueue, load: QueueLoad)] { submissions.queueLoads }

  /// How many calls are in progress at most; beyond, the oldest are forgotten.
  ///
  /// What is left by `longjmp`, or by a hostile program, would fill the memory.
  static let openCallLimit = 1 << 16

  /// How many calls were forgotten.
  private(set) var forgottenCallCount = 0

  /// How many calls are in progress.
  var openCallCount: Int { openCalls.count }

  /// Decodes a part.
  ///
  /// - Parameters:
  ///   - bytes: The part's body.
  ///   - place: Its position in the stream.
  ///   - records: Receives the calls and the waits that have ended.
  /// - Throws: The reason why the part is damaged.
  mutating func decode(
    _ bytes: [UInt8], _ place: UInt64, into records: inout [TraceRecord]
  ) throws(DamagedRecord) {
    var body = ByteReader<DamagedRecord>(bytes[...])
    let kind = Format.Kind(rawValue: try body.integer())
    let _: UInt8 = try body.integer()
    let parts = Format.Parts(rawValue: try body.integer())
    guard let kind else { throw DamagedRecord("an unknown kind") }
    // The sinks indent by the depth, so its range must not depend on untrusted data.
    let depth = min(max(try body.integer(Int32.self), 0), Int32(UInt16.max))
    let head = Format.Head(
      kind: kind, parts: parts, depth: depth, process: try body.integer(),
      thread: try body.integer())
    switch kind {
    case .code: try addCode(&body, head)
    case .thread:
      let name = try body.foreignText()
      let thread = Thread(process: head.process, number: head.thread)
      origins[thread] = TraceOrigin(
        process: head.process, processName: processName, threadName: name)
    case .begin:
      let (call, wait) = try begin(&body, head, place)
      openCalls[place] = call
      if openCalls.count > Self.openCallLimit { forgetOldCalls() }
      if let wait { records.append(wait) }
    case .end: if let record = try end(&body, head) { records.append(record) }
    case .refusal:
      refusal = TraceRefusal(
        code: try body.text(), message: try body.text(), endsProgram: parts.contains(.isEnd))
    case .acceptance: refusal = nil
    case .queue: try addQueue(&body, head)
    case .caller: try addCaller(&body, head)
    case .submission: try addSubmission(&body, head)
    case .task: try addTask(&body, head)
    case .taskName:
      tasks.name(try body.integer(), in: head.process, try body.text())
    case .cancellation:
      let block: UInt64 = try body.integer()
      let wrapper: UInt64 = try body.integer()
      let time: UInt64 = try body.integer()
      records += submissions.cancel(block: block, in: wrapper, head)
        .map { record(of: $0, until: time, ending: .cancelled) }
    }
  }

  // MARK: - Descriptions

  private mutating func addCode(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let address: UInt64 = try body.integer()
    let hidden = Int(try body.integer(Int32.self))
    let limit = Int(try body.integer(Int32.self))
    let name = head.parts.contains(.name) ? try body.text() : nil
    let image = head.parts.contains(.image) ? try body.text() : nil
    let signature = head.parts.contains(.signature) ? try body.text() : nil
    let interface = signature.flatMap { try? CallInterface.of($0) }
      .flatMap { (0...$0.argumentCount).contains(hidden) ? $0 : nil }
    if let signature, interface == nil { unreadSignatures.insert(signature) }
    let code = RecordedCode(
      TraceSubject(
        name: name, image: image, signature: signature ?? TraceSubject.noSignature,
        address: address == 0 ? nil : UInt(address)),
      interface.map { TraceCapture($0, hiddenArgumentCount: hidden, limit: limit) },
      head.parts.contains(.isWait) ? .wait : .call, isTask: head.parts.contains(.isTask))
    overlay.add(code)
    codes[number] = code
    codesByAddress[address] = code
  }

  private mutating func addQueue(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let target: UInt32 = try body.integer()
    if head.parts.contains(.isRetargeted) { return submissions.retarget(number, to: target) }
    let quality: UInt32 = try body.integer()
    let kind: UInt8 = try body.integer()
    submissions.addQueue(
      number,
      TracedQueue(
        label: try body.foreignText(), isSerial: kind == 0 ? nil : kind == 1,
        target: submissions.queue(target)?.label,
        qualityOfService: TracedQueue.name(ofQuality: quality)), target: target)
  }

  private mutating func addCaller(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let address: UInt64 = try body.integer()
    let name = head.parts.contains(.name) ? try body.text() : nil
    let image = head.parts.contains(.image) ? try body.text() : nil
    submissions.addCaller(
      number, TraceCaller(name: name, image: image, address: UInt(address)))
  }

  // MARK: - Submissions

  private mutating func addSubmission(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) {
    let block: UInt64 = try body.integer()
    let code: UInt64 = try body.integer()
    let wrapper: UInt64 = try body.integer()
    let queue: UInt32 = try body.integer()
    let gaps: UInt32 = try body.integer()
    let time: UInt64 = try body.integer()
    let count: UInt32 = try body.integer()
    guard let way = SubmissionWay(rawValue: try body.integer()) else {
      throw DamagedRecord("an unknown way to send a block")
    }
    latest = max(latest, time)
    let callers = try readCallers(&body)
    let task = way.isTask ? try StreamTask(&body) : nil
    if let task {
      tasks.add(task, in: head.process)
      tasks.send(task.number, in: head.process)
    }
    submissions.add(
      TraceSubmission(
        queue: way == .apply && queue == 0 ? .automatic : submissions.queue(queue),
        nanoseconds: way.isHandler ? nil : time, thread: head.thread, callers: callers, way: way),
      block: block, code: code, in: wrapper, of: task?.number ?? 0, to: queue, count: count,
      gaps: gaps, head)
  }

  private func readCallers(
    _ body: inout ByteReader<DamagedRecord>
  ) throws(DamagedRecord) -> [TraceCaller] {
    let count = try body.integer(UInt8.self)
    if count == 1 { return submissions.callers(try body.integer()) }
    var callers: [TraceCaller] = []
    for _ in 0..<count { callers += submissions.callers(try body.integer()) }
    return callers
  }

  private mutating func addTask(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) {
    let task = try StreamTask(&body)
    let _: UInt64 = try body.integer()
    tasks.add(task, in: head.process, createdBy: try readCallers(&body))
  }

  /// The blocks that were sent to queues and have not begun, and the tasks that are suspended.
  ///
  /// A thread that waits for such a block has a wait that has not ended.
  mutating func pendingRecords(at now: UInt64, gaps: UInt32) -> [TraceRecord] {
    for call in openCalls.values {
      submissions.ran(
        call.code, call.dispatch?.submission, on: call.occupied, call.head, from: call.start,
        to: max(now, call.start))
    }
    var records: [TraceRecord] = []
    for pending in submissions.pending(gaps: gaps) {
      records.append(record(of: pending, until: now, ending: .pending))
      let (way, start) = (pending.submission.way, pending.submission.nanoseconds ?? now)
      guard way.isSynchronous else { continue }
      records.append(
        TraceRecord(
          start: start, duration: now > start ? now - start : 0, thread: pending.head.thread,
          depth: pending.head.depth, ending: .unfinished, code: waits.code(for: way),
          values: TraceValues(), origin: knownOrigin(of: pending.head),
          dispatch: TraceDispatch(
            queue: submissions.queue(pending.queue), submission: pending.submission,
            behind: pending.obstacle)))
    }
    for (task, part) in tasks.suspended(gaps: gaps) {
      guard let (end, suspension) = part.end else { continue }
      records.append(
        TraceRecord(
          start: end, duration: 0, thread: part.head.thread, depth: 0, ending: .suspended,
          code: part.code, values: TraceValues(), origin: knownOrigin(of: part.head),
          dispatch: TraceDispatch(
            queue: nil, waited: now > end ? now - end : 0, task: task, suspension: suspension)))
    }
    return records
  }

  private mutating func record(
    of pending: CollectedSubmissions.Pending, until end: UInt64, ending: TraceRecord.Ending
  ) -> TraceRecord {
    let start = pending.submission.nanoseconds ?? end
    let code = codesByAddress[pending.code] ?? waits.unknown
    return TraceRecord(
      start: start, duration: 0, thread: pending.head.thread, depth: pending.head.depth,
      ending: ending, code: overlay.code(code, sentBy: pending.submission), values: TraceValues(),
      origin: knownOrigin(of: pending.head),
      dispatch: TraceDispatch(
        queue: submissions.queue(pending.queue), submission: pending.submission,
        waited: end > start ? end - start : 0, behind: pending.obstacle,
        task: tasks.task(pending.task, in: pending.head.process)))
  }

  // MARK: - Calls

  /// A call that begins, and the time that the thread waited for it, if it did.
  private mutating func begin(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head, _ place: UInt64
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
      (dispatch, wait, sentTo) = try readDispatch(
        &body, on: queue, of: UInt64(code.subject.address ?? 0), at: start, gaps: gaps, head)
      // Calls inside of others occupy what these do, unless the thread came there by `dispatch_sync`.
      occupied = sentTo != 0 ? sentTo : head.depth == 0 ? queue : 0
      code = overlay.code(code, sentBy: dispatch?.submission)
      if code.isTask, let task = dispatch?.task {
        start = begin(
          CollectedTasks.Part(place: place, code: code, head: head, gaps: gaps), of: task, at: start
        )
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

  /// Begins a part of a task: the one before it, of which a thread may have yet to say that it has left
  /// it, ends then at the latest.
  ///
  /// - Returns: The time at which it begins.
  private mutating func begin(
    _ part: CollectedTasks.Part, of task: TracedTask, at start: UInt64
  ) -> UInt64 {
    guard let last = tasks.begin(part, of: task.number) else { return start }
    if let end = last.end { return max(start, end.time) }
    openCalls[last.place]?.left = start
    return start
  }

  private mutating func forgetOldCalls() {
    for place in openCalls.keys.sorted().prefix(Self.openCallLimit / 2) {
      guard let call = openCalls.removeValue(forKey: place) else { continue }
      submissions.end(on: call.sentTo)
      forgottenCallCount += 1
    }
  }

  private mutating func readDispatch(
    _ body: inout ByteReader<DamagedRecord>, on number: UInt32, of code: UInt64,
    at start: UInt64, gaps: UInt32, _ head: Format.Head
  ) throws(DamagedRecord) -> (TraceDispatch, TraceRecord?, UInt32) {
    let block: UInt64 = try body.integer()
    let task = tasks.task(try body.integer(), in: head.process)
    let queue = submissions.queue(number)
    guard block != 0,
      let match = submissions.begin(
        block: block, code: code, on: number, at: start, gaps: gaps, head)
    else { return (TraceDispatch(queue: queue, task: task), nil, 0) }
    let sent = match.submission?.nanoseconds
    let wait = match.wait.map { wait in
      TraceRecord(
        start: wait.start, duration: start > wait.start ? start - wait.start : 0,
        thread: wait.head.thread, depth: wait.head.depth, ending: .proceeded,
        code: waits.code(for: wait.way), values: TraceValues(), origin: origin(of: wait.head),
        dispatch: TraceDispatch(
          queue: match.submission?.queue, submission: match.submission, behind: match.obstacle))
    }
    return (
      TraceDispatch(
        queue: queue, submission: match.submission,
        waited: sent.map { start > $0 ? start - $0 : 0 }, behind: match.obstacle, task: task),
      wait, match.queue
    )
  }

  /// The call that ended; nil if its begin was dropped.
  private mutating func end(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) -> TraceRecord? {
    let place: UInt64 = try body.integer()
    var time: UInt64 = try body.integer()
    latest = max(latest, time)
    guard let index = openCalls.index(forKey: place) else { return nil }
    let call = openCalls.values[index]
    if let left = call.left { time = min(time, left) }
    // After a fork the call ends in both processes.
    if call.head.process == head.process {
      openCalls.remove(at: index)
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
    if let suspension, let task = call.dispatch?.task {
      tasks.end(task.number, in: head.process, partAt: place, at: time, suspension)
    }
    return record(
      of: call, head: head, end: time, values, result: result, error: error,
      suspension: suspension, ending: head.parts.contains(.hasProceeded) ? .proceeded : .replaced)
  }

  /// The calls in progress, as calls that lasted until now, or until their task began elsewhere.
  mutating func unfinishedRecords(at now: UInt64) -> [TraceRecord] {
    openCalls.sorted { $0.key < $1.key }.map { _, call in
      record(
        of: call, head: call.head, end: call.left ?? now, call.values,
        suspension: call.left.map { _ in .suspended },
        ending: call.left == nil ? .unfinished : .proceeded)
    }
  }

  private mutating func record(
    of call: OpenCall, head: Format.Head, end: UInt64, _ values: TraceValues,
    result: String? = nil, error: String? = nil, suspension: TaskSuspension? = nil,
    ending: TraceRecord.Ending
  ) -> TraceRecord {
    var dispatch = call.dispatch
    if let suspension {
      // The name may have come after the begin.
      let task = dispatch?.task.flatMap { tasks.task($0.number, in: call.head.process) }
      dispatch = TraceDispatch(
        queue: dispatch?.queue, submission: dispatch?.submission, waited: dispatch?.waited,
        behind: dispatch?.obstacle, task: task, suspension: suspension)
    }
    var values = values
    values.texts = TraceTexts.ifAny(arguments: call.texts, result: result, error: error)
    return TraceRecord(
      start: call.start, duration: end > call.start ? end - call.start : 0, thread: head.thread,
      depth: head.depth, ending: ending, code: call.code, values: values, origin: origin(of: head),
      dispatch: dispatch)
  }

  private mutating func origin(of head: Format.Head) -> TraceOrigin {
    let thread = Thread(process: head.process, number: head.thread)
    if let known = origins[thread] { return known }
    let origin = knownOrigin(of: head)
    origins[thread] = origin
    return origin
  }

  private func knownOrigin(of head: Format.Head) -> TraceOrigin {
    origins[Thread(process: head.process, number: head.thread)]
      ?? TraceOrigin(process: head.process, processName: processName, threadName: nil)
  }
}
