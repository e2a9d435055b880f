/// The data of a page while it is gathered: columns of packed numbers, and each text once.
struct TracePageData {
  private typealias Tables = TracePageTables

  private let title: String
  private let callLimit: Int
  private let textByteLimit: Int
  private let wallClockAtZero: UInt64?
  private let locate: LocationSearch?

  private var texts = NumberedValues<String>()
  private var lists = NumberedValues<[Int32]>()
  private var subjects = NumberedValues<Tables.Subject>()
  private var sendings = NumberedValues<Tables.Sending>()
  private var endings = NumberedValues<Tables.Ending>()
  private var processes = Tables.Keyed<Int32, Tables.Process>()
  private var lanes = Tables.Keyed<TracedThread, Tables.Lane>()
  private var queues = Tables.Keyed<Tables.Queue.Key, Tables.Queue>()
  private var tasks = Tables.Keyed<TracedTask.Key, Tables.Task>()

  private var columns = TracePageColumns()

  /// The start of the first call; nil before it.
  private var origin: UInt64?

  /// The total size of the texts in bytes.
  private var textByteCount = 0

  init(
    title: String, callLimit: Int, textByteLimit: Int, wallClockAtZero: UInt64?,
    locate: LocationSearch?
  ) {
    self.locate = locate
    self.title = title
    self.callLimit = callLimit
    self.textByteLimit = textByteLimit
    self.wallClockAtZero = wallClockAtZero
  }

  /// The number of stored calls.
  var callCount: Int { columns[.start].count }

  /// How many more calls may be stored.
  var room: Int { textByteCount < textByteLimit ? max(0, callLimit - callCount) : 0 }

  // MARK: - Gathering

  /// Adds a call, for which there must be room.
  mutating func append(_ call: TracedCall) {
    let (record, process) = (call.record, call.process)
    let first = origin ?? record.startNanoseconds
    origin = first
    columns[.start].append(Int64(truncatingIfNeeded: record.startNanoseconds &- first))
    columns[.duration].append(record.durationNanoseconds)
    columns[.sequence].append(record.sequence)
    columns[.depth].append(record.depth)
    columns[.lane].append(lane(of: record, in: process))
    let subject = Tables.Subject(process: process, name: TracedName(record.subject))
    let row = subjects.number(of: subject)
    if row.isNew { textByteCount += record.subject.textBytes }
    columns[.subject].append(row.number)
    columns[.arguments].append(list(of: call.arguments))
    columns[.result].append(call.result.map { number(of: $0) } ?? -1)
    columns[.ending].append(ending(of: call))
    columns[.queue].append(record.queue.map { number(of: $0, in: process) } ?? -1)
    columns[.waited].append(record.waitedNanoseconds.map { Int64(clamping: $0) } ?? -1)
    columns[.task].append(record.task.map { number(of: $0, in: process) } ?? -1)
    let isCalled = record.submission == nil && !record.callers.isEmpty
    columns[.callers].append(isCalled ? list(of: record.callers.map(\.shortTitle)) : -1)
    columns[.sending].append(record.submission.map { number(of: $0, in: process) } ?? -1)
    let sender = record.submission.map { TracedThread(process: process, number: $0.thread) }
    columns[.sender].append(sender.map { lanes.number(of: $0, or: Tables.Lane(thread: $0)) } ?? -1)
  }

  private mutating func lane(of record: TraceRecord, in process: Int32) -> Int32 {
    _ = processes.number(
      of: process,
      or: Tables.Process(
        number: process, name: record.processName ?? comm("/proc/self/comm") ?? "process"))
    let thread = TracedThread(process: process, number: record.thread)
    let lane = lanes.number(of: thread, or: Tables.Lane(thread: thread))
    if lanes[lane].name.isEmpty {
      lanes[lane].name = record.nameOfThread
      textByteCount += lanes[lane].name.utf8.count
    }
    return lane
  }

  private mutating func ending(of call: TracedCall) -> Int32 {
    var error: Int32 = -1
    if case .threw(let text) = call.outcome { error = number(of: text) }
    let ending = Tables.Ending(
      outcome: call.outcome.name, error: error, isWait: call.record.kind == .wait,
      isPart: call.record.isPartOfTask, suspension: call.record.suspension?.name)
    return endings.number(of: ending).number
  }

  private mutating func number(of submission: TraceSubmission, in process: Int32) -> Int32 {
    let sending = Tables.Sending(
      queue: submission.queue.map { number(of: $0, in: process) } ?? -1,
      function: submission.function,
      callers: list(of: submission.callers.map(\.shortTitle)), isDelayed: submission.isDelayed)
    return sendings.number(of: sending).number
  }

  private mutating func number(of queue: TracedQueue, in process: Int32) -> Int32 {
    let key = Tables.Queue.Key(process: process, name: queue.name, isSerial: queue.isSerial)
    let row = Tables.Queue(process: process, queue: queue)
    let (number, isChanged) = queues.update(row, of: key) { $0.queue === queue }
    if isChanged { textByteCount += queue.textBytes }
    return number
  }

  private mutating func number(of task: TracedTask, in process: Int32) -> Int32 {
    let key = TracedTask.Key(process: process, number: task.number)
    let row = Tables.Task(process: process, task: task)
    let (number, isChanged) = tasks.update(row, of: key) { $0.task === task }
    if isChanged { textByteCount += task.textBytes }
    return number
  }

  private mutating func list(of texts: [String]) -> Int32 {
    let numbers = texts.map { number(of: $0) }
    return lists.number(of: numbers).number
  }

  private mutating func number(of text: String) -> Int32 {
    let (number, isNew) = texts.number(of: text)
    if isNew { textByteCount += text.utf8.count }
    return number
  }

  // MARK: - Writing

  /// Appends the data as a JSON document.
  func append(unshownCount: Int, to text: inout TraceText) {
    var rest = self
    // The last texts: those of the creators of tasks.
    for index in tasks.rows.indices {
      let creators = tasks.rows[index].task.creators
      rest.tasks.rows[index].creators = rest.list(of: creators.map(\.shortTitle))
    }
    text.append { rest.appendMembers(unshownCount: unshownCount, to: &$0) }
  }

  private func appendMembers(unshownCount: Int, to text: inout TraceText) {
    text.append("title", title)
    text.append("unix", wallClockAtZero.map { $0 &+ (origin ?? 0) })
    text.append("unshown", unshownCount)
    text.append("texts", texts.values)
    text.append("lists", PackedLists(lists.values))
    text.append("subjects", subjects.values.map { Tables.LocatedSubject($0, locate) })
    text.append("processes", processes.rows)
    text.append("lanes", lanes.rows)
    text.append("queues", queues.rows)
    text.append("sendings", sendings.values)
    text.append("tasks", tasks.rows)
    text.append("endings", endings.values)
    text.append("count", callCount)
    text.append("calls", columns)
  }
}

/// One call as the page shows it, with its texts rendered.
struct TracedCall {
  let record: TraceRecord
  let process: Int32
  let arguments: [String]
  let result: String?
  let outcome: TraceRecord.Outcome

  init(_ record: TraceRecord) {
    self.record = record
    process = record.process
    arguments = record.arguments
    result = record.result
    outcome = record.outcome
  }
}
