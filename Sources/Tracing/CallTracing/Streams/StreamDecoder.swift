internal import BlockABI
internal import Invocations

/// Makes records of the parts of a stream, which are not trusted.
struct StreamDecoder {
  private typealias Format = TraceStreamFormat
  typealias Head = TraceStreamFormat.Head

  /// Why the program, or functions that were named, cannot be traced.
  private(set) var refusals: [TraceRefusal] = []

  /// The latest time in the records read so far.
  var latest: UInt64 = 0

  /// The processes whose records the stream has.
  var speakers: StreamSpeakers
  var codes = CollectedCodes()
  var origins: CollectedOrigins
  var openCalls = RecentValues<UInt64, OpenCall>(limit: openCallLimit, weigh: \.weight)
  var submissions = CollectedSubmissions()
  private let program: String
  private var ordinals = QueueOrdinals()
  var tasks = CollectedTasks()
  var actors = CollectedActors()

  /// How many records of actors, waits and resumptions there were.
  var hopCount = 0

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - speakers: The processes whose records the stream has.
  ///   - processName: The name of the process that created it.
  ///   - program: The path of that process's program; empty if it is not known.
  init(_ speakers: StreamSpeakers, processName: String, program: String) {
    self.speakers = speakers
    self.program = program
    origins = CollectedOrigins(processName: processName)
  }

  /// How much the actors had to do so far.
  var actorLoads: [(actor: TracedActor, load: ActorLoad)] { actors.loads(until: latest) }

  /// How many calls are in progress at most; beyond, the oldest are forgotten.
  ///
  /// What is left by `longjmp`, or by a hostile program, would fill the memory.
  private static let openCallLimit = 1 << 16
  private static let refusalLimit = 1 << 10

  /// What the stream has more of than is kept, in words: how many of each were forgotten.
  var forgotten: [String] {
    let counts: [(Int, String, limit: Int)] = [
      (openCalls.forgottenCount, "open call", Self.openCallLimit),
      (codes.forgottenCount, "function", CollectedCodes.limit),
      (origins.forgottenCount, "thread", CollectedOrigins.limit),
      (tasks.forgottenCount, "task", CollectedTasks.limit),
      (actors.forgottenCount, "actor", CollectedActors.limit),
    ]
    return (counts + submissions.forgotten).filter { $0.0 > 0 }
      .map { "\($0.of($1)) of more than \($2)" }
  }

  /// Decodes a part.
  ///
  /// - Parameters:
  ///   - bytes: The part's body.
  ///   - place: Its position in the stream.
  ///   - records: Receives the calls and the waits that have ended.
  /// - Throws: The reason why the part is damaged.
  mutating func decode(
    _ bytes: ArraySlice<UInt8>, _ place: UInt64, into records: inout [TraceRecord]
  ) throws(DamagedRecord) {
    var body = RecordBody(bytes)
    let kind = Format.Kind(rawValue: try body.integer())
    let _: UInt8 = try body.integer()
    let parts = Format.Parts(rawValue: try body.integer())
    guard let kind else { throw DamagedRecord("an unknown kind") }
    let depth = min(max(try body.integer(Int32.self), 0), Int32(UInt16.max))
    let head = Format.Head(
      kind: kind, parts: parts, depth: depth,
      process: speakers.process(named: try body.integer(), at: place),
      thread: try body.integer())
    switch kind {
    case .code: try codes.add(&body, head, of: program)
    case .thread: origins.name(head, try body.name())
    case .begin:
      let (call, wait) = try begin(&body, head, place)
      openCalls.update(place) { $0 = call }
      for call in openCalls.trim() { submissions.end(on: call.sentTo) }
      if let wait { records.append(wait) }
    case .end: if let record = try end(&body, head) { records.append(record) }
    case .refusal:
      let refusal = TraceRefusal(
        code: try body.name(), message: try body.name(), endsProgram: parts.contains(.isEnd))
      guard refusals.count < Self.refusalLimit, !refusals.contains(refusal) else { break }
      refusals.append(refusal)
    case .acceptance: refusals = []
    case .queue: try addQueue(&body, head)
    case .caller: try addCaller(&body, head)
    case .submission: try addSubmission(&body, head)
    case .task: try addTask(&body, head)
    case .taskName:
      tasks.name(try body.integer(), in: head.process, try body.name())
    case .actorType: actors.addType(try body.integer(), try body.name())
    case .actor: try run(&body, head)
    case .taskWait: try wait(&body, head)
    case .resumption: try resume(&body, head)
    case .cancellation:
      let block: UInt64 = try body.integer()
      let wrapper: UInt64 = try body.integer()
      let time: UInt64 = try body.integer()
      records += submissions.cancel(block: block, in: wrapper, head)
        .map { record(of: $0, until: time, ending: .cancelled) }
    }
  }

  // MARK: - Descriptions

  private mutating func addQueue(_ body: inout RecordBody, _ head: Head) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let target: UInt32 = try body.integer()
    if head.parts.contains(.isRetargeted) { return submissions.retarget(number, to: target) }
    let quality: UInt32 = try body.integer()
    let kind: UInt8 = try body.integer()
    let address: UInt64 = try body.integer()
    let label = try body.name()
    submissions.addQueue(
      number,
      TracedQueue(
        label: label,
        ordinal: ordinals.ordinal(
          of: label, at: address, isCreated: head.parts.contains(.isCreated)),
        isSerial: kind == 0 ? nil : kind == 1, target: submissions.queue(target)?.name,
        qualityOfService: UInt8(exactly: quality).flatMap(TracedQuality.init)), target: target)
  }

  private mutating func addCaller(_ body: inout RecordBody, _ head: Head) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let address: UInt64 = try body.integer()
    let place = try StreamPlace(&body)
    let text = head.parts.contains(.name) ? try body.name() : nil
    let name = head.parts.contains(.isSymbol) ? text.map(ForeignSymbol.name) : text
    let image = head.parts.contains(.image) ? try body.image(of: program) : nil
    submissions.addCaller(
      number,
      TraceCaller(
        name: name, image: image, address: UInt(address),
        place: place.code(in: image)))
  }

  // MARK: - Submissions

  private mutating func addSubmission(
    _ body: inout RecordBody, _ head: Head
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
    let sender: UInt32 = try body.integer()
    let senderTask = tasks.task(try body.integer(), in: head.process)
    let callers = try readCallers(&body)
    let task = way.isTask ? try StreamTask(&body) : nil
    if let task {
      tasks.add(task, in: head.process)
      tasks.send(task.number, in: head.process)
    }
    submissions.add(
      TraceSubmission(
        queue: way == .apply && queue == 0 ? .automatic : submissions.queue(queue),
        nanoseconds: way.isHandler ? nil : time, thread: head.thread, task: senderTask,
        callers: callers,
        qualityOfService: task.map { TracedTask.priority($0.flags) }
          ?? submissions.queue(way.isSynchronous ? sender : queue)?.qualityOfService, way: way),
      block: block, code: code, in: wrapper, of: task?.number ?? 0, to: queue, count: count,
      gaps: gaps, head)
  }

  mutating func readCallers(_ body: inout RecordBody) throws(DamagedRecord) -> [TraceCaller] {
    let count = try body.integer(UInt8.self)
    if count == 1 { return submissions.callers(try body.integer()) }
    var callers: [TraceCaller] = []
    for _ in 0..<count { callers += submissions.callers(try body.integer()) }
    return callers
  }

  private mutating func addTask(_ body: inout RecordBody, _ head: Head) throws(DamagedRecord) {
    let task = try StreamTask(&body)
    let _: UInt64 = try body.integer()
    tasks.add(task, in: head.process, createdBy: try readCallers(&body))
  }
}
